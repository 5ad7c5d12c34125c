#include "os/mounts.h"

#include <gtest/gtest.h>

#include "os/read_file.h"

namespace weighbridge::os {
namespace {

std::vector<Mount> captured() {
  return parse_mountinfo(
      read_file(WEIGHBRIDGE_SOURCE_DIR "/tests/fixtures/host/proc/self/mountinfo").value());
}

TEST(Mounts, ReadsEveryLineOfARealTable) {
  const auto mounts = captured();
  ASSERT_FALSE(mounts.empty());
  const Mount* const root = mount_of("/", mounts);
  ASSERT_NE(root, nullptr);
  EXPECT_EQ(root->device, "254:0");
  EXPECT_EQ(root->type, "ext4");
  EXPECT_EQ(root->source, "/dev/vda");
}

TEST(Mounts, ChoosesTheLongestPointAboveAPath) {
  const auto mounts = captured();
  EXPECT_EQ(mount_of("/sys/fs/cgroup/unified/mine", mounts)->type, "cgroup2");
  EXPECT_EQ(mount_of("/sys/kernel", mounts)->type, "sysfs");
  EXPECT_EQ(mount_of("/system", mounts)->type, "ext4");
}

TEST(Mounts, OfTwoOnOnePointTheLaterHidesTheEarlier) {
  const auto mounts = parse_mountinfo(
      "20 1 8:1 / /data rw - ext4 /dev/sda1 rw\n"
      "21 1 0:40 / /data rw shared:7 master:2 - tmpfs tmpfs rw\n");
  EXPECT_EQ(mount_of("/data/x", mounts)->type, "tmpfs");
  EXPECT_EQ(mount_of("/elsewhere", mounts), nullptr);
}

TEST(Mounts, UndoesTheEscapesOfSpacesAndBackslashes) {
  const auto mounts =
      parse_mountinfo("20 1 8:1 / /my\\040disk\\134one rw - ext4 /dev/disk\\040one rw");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].point, "/my disk\\one");
  EXPECT_EQ(mounts[0].source, "/dev/disk one");
}

TEST(Mounts, PassesOverLinesThatAreCutShort) {
  EXPECT_TRUE(parse_mountinfo("").empty());
  EXPECT_TRUE(parse_mountinfo("20 1 8:1 / /data rw - ext4").empty());
  EXPECT_TRUE(parse_mountinfo("20 1 8:1\n- - - -\n").empty());
}

}  // namespace
}  // namespace weighbridge::os
