#include "cli/program.h"

int main(int argc, char** argv) {
  return weighbridge::cli::program_main(argc, argv);
}
