#include "golden.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace weighbridge::report {

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(WEIGHBRIDGE_SOURCE_DIR) + "/tests/golden/" + name;
  if (std::getenv("WEIGHBRIDGE_UPDATE_GOLDEN") != nullptr) {
    EXPECT_TRUE(std::ofstream(path, std::ios::binary) << text << std::flush) << path;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing; WEIGHBRIDGE_UPDATE_GOLDEN=1 makes it";
  const std::string approved{std::istreambuf_iterator<char>(file),
                             std::istreambuf_iterator<char>()};
  EXPECT_EQ(approved, text) << "differs from " << path;
}

}  // namespace weighbridge::report
