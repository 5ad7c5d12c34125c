#include <string_view>

#include "cli/program.h"
#include "os/supervisor.h"

int main(int argc, char** argv) {
  // Not a word for people: under it this same executable is the process between driver and targets,
  // so that one file copied to another machine is a whole Weighbridge.
  if (argc > 1 && std::string_view(argv[1]) == "supervise")
    return weighbridge::os::supervise_main(argc, argv);
  return weighbridge::cli::program_main(argc, argv);
}
