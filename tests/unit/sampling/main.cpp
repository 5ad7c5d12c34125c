// The sampler's tests start a supervisor the way the program does: by executing themselves.
#include <gtest/gtest.h>

#include <string_view>

#include "os/supervisor.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "supervise")
    return weighbridge::os::supervise_main(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
