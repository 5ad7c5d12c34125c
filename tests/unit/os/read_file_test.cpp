#include "os/read_file.h"

#include <gtest/gtest.h>

namespace weighbridge::os {
namespace {

TEST(ReadFile, ReadsFilesWhoseSizeTheKernelDoesNotTell) {
  EXPECT_GT(read_file("/proc/self/status").value().size(), 100U);
}

TEST(ReadFile, StopsAtItsLimit) {
  EXPECT_EQ(read_file("/dev/zero", 10'000).value(), std::string(10'000, '\0'));
}

TEST(ReadFile, AbsenceIsAnAnswer) {
  EXPECT_FALSE(read_file("/no/such/file"));
  EXPECT_FALSE(read_file("/proc/self"));
}

TEST(ReadFile, TrimsWhenAsked) {
  EXPECT_EQ(read_trimmed("/proc/self/comm"), "unit_os");
}

}  // namespace
}  // namespace weighbridge::os
