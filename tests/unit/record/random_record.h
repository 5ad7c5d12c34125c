#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/record.h"

namespace weighbridge::record {

/// A record in which every member has some value, absent, empty and odd ones among them.
Record random_record(std::uint64_t seed);

/// Every value of a record with its path, one per line, by a way that knows nothing of JSON.
std::vector<std::string> flattened(const Record& record);

}  // namespace weighbridge::record
