#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "cli/surroundings.h"

namespace weighbridge::cli {

/// The whole program but for the real world around it. `arguments` without the program's own name.
ExitCode run_program(const std::vector<std::string>& arguments, Surroundings& world);

/// The same in the real world: what main() returns.
int program_main(int argc, char** argv);

}  // namespace weighbridge::cli
