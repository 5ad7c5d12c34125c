#include "reference/run.h"

int main(int argc, char** argv) {
  return weighbridge::reference::run(argc, argv);
}
