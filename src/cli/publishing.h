#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/words.h"
#include "plan/plan.h"
#include "record/record.h"

namespace weighbridge::cli {

/// Where a complete run's figures are put for others to read.
struct Publication {
  std::string record;
  std::vector<std::string> pages;
};

/// What this run may publish: nothing without [publish], and nothing when a flag made it another
/// run than the plan describes. Such a run is refused (ErrorCode::usage, naming the flags) unless
/// -o names a folder of its own, away from what is published. Also checks that the folders can be
/// written.
Result<std::optional<Publication>> publication_of(const plan::Plan& plan, const RunWords& words);

/// Writes the record and, if `with_pages`, draws the pages from it.
Result<void> publish(const Publication& publication, const record::Record& record, bool with_pages);

}  // namespace weighbridge::cli
