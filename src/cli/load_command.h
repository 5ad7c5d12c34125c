#pragma once

#include "base/error.h"
#include "cli/surroundings.h"
#include "cli/words.h"

namespace weighbridge::cli {

/// Drives a server with the load engine: words, folder, steps, record, report, tables. What was
/// measured is kept and shown even when the run ends with an error.
Result<void> load_command(const LoadWords& words, Surroundings& world);

}  // namespace weighbridge::cli
