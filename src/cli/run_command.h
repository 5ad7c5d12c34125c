#pragma once

#include "base/error.h"
#include "cli/surroundings.h"
#include "cli/words.h"

namespace weighbridge::cli {

/// Weighs a server: plan, folder, run, record, report, tables. What was measured is kept and shown
/// even when the run ends with an error.
Result<void> run_command(const RunWords& words, Surroundings& world);

}  // namespace weighbridge::cli
