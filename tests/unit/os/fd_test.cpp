#include "os/fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <utility>

namespace weighbridge::os {
namespace {

int open_null() {
  return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

TEST(Fd, ClosesWhatItOwns) {
  const int number = open_null();
  {
    const Fd fd(number);
    EXPECT_TRUE(fd.valid());
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(Fd, MovingLeavesOneOwner) {
  Fd first(open_null());
  const int number = first.get();
  Fd second(std::move(first));
  EXPECT_FALSE(first.valid());
  EXPECT_EQ(second.get(), number);
  EXPECT_TRUE(is_open(number));
}

TEST(Fd, AssigningClosesTheOldOne) {
  Fd target(open_null());
  Fd source(open_null());
  const int old_number = target.get();
  const int new_number = source.get();
  target = std::move(source);
  EXPECT_FALSE(is_open(old_number));
  EXPECT_EQ(target.get(), new_number);
  EXPECT_TRUE(is_open(new_number));
}

TEST(Fd, AssigningToItselfKeepsIt) {
  Fd fd(open_null());
  Fd& same = fd;
  fd = std::move(same);
  EXPECT_TRUE(fd.valid());
  EXPECT_TRUE(is_open(fd.get()));
}

TEST(Fd, ReleaseGivesUpOwnership) {
  int number = -1;
  {
    Fd fd(open_null());
    number = fd.release();
  }
  EXPECT_TRUE(is_open(number));
  Fd closes(number);
}

}  // namespace
}  // namespace weighbridge::os
