#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/surroundings.h"

namespace weighbridge::cli {

/// The whole program but for the real world around it. `arguments` without the program's own name.
ExitCode run_program(const std::vector<std::string>& arguments, Surroundings& world);

/// What main() does. The word `supervise` is not for people: under it this same executable is the
/// process that stands between the driver and the targets (os/supervisor.h).
int program_main(int argc, char** argv);

}  // namespace weighbridge::cli
