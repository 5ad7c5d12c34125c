#pragma once

#include "base/error.h"
#include "cli/surroundings.h"
#include "cli/words.h"

namespace weighbridge::cli {

/// Draws a record that was kept. ErrorCode::usage when the file is missing or is no record.
Result<void> report_command(const ReportWords& words, Surroundings& world);

}  // namespace weighbridge::cli
