#include "os/cgroup.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "os/read_file.h"

namespace weighbridge::os {
namespace {

std::string captured(const char* name) {
  return read_file(std::string(WEIGHBRIDGE_SOURCE_DIR "/tests/fixtures/host/proc/self/") + name)
      .value();
}

TEST(Cgroup, FindsItsDirectoryBesideTheOlderTrees) {
  EXPECT_EQ(own_cgroup_directory(captured("mountinfo"), captured("cgroup")),
            "/sys/fs/cgroup/unified");
}

TEST(Cgroup, FindsItsDirectoryBelowAUsersSession) {
  EXPECT_EQ(own_cgroup_directory("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
                                 "0::/user.slice/user-1000.slice/session-2.scope\n"),
            "/sys/fs/cgroup/user.slice/user-1000.slice/session-2.scope");
}

TEST(Cgroup, FindsItsDirectoryWhereAContainerShowsOnlyABranch) {
  const char* const mountinfo = "30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
  EXPECT_EQ(own_cgroup_directory(mountinfo, "0::/docker/abc/app\n"), "/sys/fs/cgroup/app");
  EXPECT_EQ(own_cgroup_directory(mountinfo, "0::/docker/other\n"), "");
}

TEST(Cgroup, HasNoDirectoryWhereOnlyTheOlderTreesAreMounted) {
  EXPECT_EQ(own_cgroup_directory("30 23 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n",
                                 "2:cpu:/\n"),
            "");
  EXPECT_EQ(own_cgroup_directory("", ""), "");
}

TEST(Cgroup, ReadsProcessorTime) {
  const auto cpu = parse_cgroup_cpu(
      "usage_usec 22437\nuser_usec 12000\nsystem_usec 10437\nnice_usec 0\n"
      "core_sched.force_idle_usec 0\n");
  ASSERT_TRUE(cpu);
  EXPECT_EQ(cpu->total, 22437us);
  EXPECT_EQ(cpu->user, 12000us);
  EXPECT_EQ(cpu->system, 10437us);
}

TEST(Cgroup, WithoutAUsageLineThereIsNoProcessorTime) {
  EXPECT_FALSE(parse_cgroup_cpu(""));
  EXPECT_FALSE(parse_cgroup_cpu("nr_periods 0\n"));
}

TEST(Cgroup, OneThatWasMadeIsEmptyAndCanBeRemoved) {
  const auto cgroup = Cgroup::create("weighbridge-test-" + std::to_string(::getpid()));
  if (!cgroup) GTEST_SKIP() << "no cgroup can be made here";
  EXPECT_EQ(read_file(cgroup->directory() + "/cgroup.procs"), "");
  EXPECT_TRUE(cgroup->cpu());
  EXPECT_TRUE(cgroup->remove());
  EXPECT_NE(::access(cgroup->directory().c_str(), F_OK), 0);
  EXPECT_FALSE(Cgroup::open(cgroup->directory()));
}

}  // namespace
}  // namespace weighbridge::os
