#pragma once

#include <string>
#include <vector>

#include "record/record.h"
#include "report/view.h"

namespace weighbridge::report::detail {

// What every kind of record is said in the same words.

/// Into the group of its kind and advice.
void add_doubt(std::vector<DoubtGroup>& groups, const record::Doubt& doubt);

/// Facts that are unknown are left out: an empty line says less than none.
void add_fact(std::vector<Fact>& facts, std::string name, std::string value);
std::string as_duration(double seconds);
std::vector<Fact> host_facts(const record::Host& host);
std::vector<Fact> build_facts(const record::Build& build);

/// A command as a shell would be told it.
std::string shell_words(const std::vector<std::string>& command);

}  // namespace weighbridge::report::detail
