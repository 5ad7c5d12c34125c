#pragma once

#include "base/error.h"
#include "cli/exit_code.h"
#include "cli/surroundings.h"
#include "cli/words.h"

namespace weighbridge::cli {

/// Weighs the known weights: folder, weighings, record, report, table, and the calibration kept for
/// later runs. said_no when a weight was outside its bound or could not be judged.
Result<ExitCode> calibrate_command(const CalibrateWords& words, Surroundings& world);

}  // namespace weighbridge::cli
