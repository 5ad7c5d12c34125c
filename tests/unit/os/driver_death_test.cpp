// What is left when the driver is killed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "os/cgroup.h"
#include "os/fd.h"
#include "os/process_list.h"
#include "os/read_file.h"
#include "os/supervisor.h"
#include "supervised.h"

namespace weighbridge::os {
namespace {

// Every case forks a driver of its own, which starts a supervisor and a target and is then killed
// in the way that no code of its own can answer.
class DriverDeath : public testing::Test {
 protected:
  DriverDeath() {
    // What the supervisor leaves behind would come to us, and be seen.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1UL);
  }
  ~DriverDeath() override { ::prctl(PR_SET_CHILD_SUBREAPER, 0UL); }

  /// Spawns `script` in a driver; returns once it has written a line. The script must write one.
  void start_driver(const std::string& script) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    const Fd read(ends[0]);
    const Fd write(ends[1]);
    driver_ = ::fork();
    if (driver_ == 0) {
      const auto started = Supervisor::start(kSelf);
      auto request = shell(script);
      request.stdout_fd = write.get();
      if (!started || !(*started)->spawn(request)) ::_exit(1);
      for (;;) ::pause();
    }
    char byte = 0;
    ASSERT_EQ(::read(read.get(), &byte, 1), 1);
    supervisor_ = children_of(driver_).at(0);
    tree_ = descendants(supervisor_);
    ASSERT_FALSE(tree_.empty());
    const auto mounts = read_file("/proc/self/mountinfo").value_or("");
    cgroup_ = own_cgroup_directory(
        mounts, read_file("/proc/" + std::to_string(tree_[0]) + "/cgroup").value_or(""));
  }

  void kill_driver() {
    ::kill(driver_, SIGKILL);
    ::waitpid(driver_, nullptr, 0);
  }

  void expect_nobody_left() {
    // The supervisor is orphaned to us as well, and ends only when everything below it has.
    ASSERT_TRUE(comes_true([&] { return ::waitpid(supervisor_, nullptr, WNOHANG) > 0; }));
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    for (const pid_t pid : tree_) EXPECT_EQ(process_state(pid), '\0') << command_line(pid);
    if (cgroup_.find("weighbridge-") != std::string::npos) {
      EXPECT_NE(::access(cgroup_.c_str(), F_OK), 0) << cgroup_;
    }
  }

  static std::vector<pid_t> descendants(pid_t root) {
    std::vector<pid_t> found = children_of(root);
    for (std::size_t i = 0; i < found.size(); ++i)
      for (const pid_t child : children_of(found[i])) found.push_back(child);
    return found;
  }

 private:
  pid_t driver_ = 0;
  pid_t supervisor_ = 0;
  std::vector<pid_t> tree_;
  std::string cgroup_;
};

TEST_F(DriverDeath, EndsALauncherChain) {
  start_driver("sh -c 'sh -c \"echo ready; sleep 1000\"; true'; true");
  kill_driver();
  expect_nobody_left();
}

TEST_F(DriverDeath, EndsADoubleForkedDaemonInItsOwnSession) {
  start_driver("(setsid sh -c 'echo ready; exec sleep 1000' &) & wait; sleep 1000");
  kill_driver();
  expect_nobody_left();
}

TEST_F(DriverDeath, EndsChildrenInNewProcessGroups) {
  start_driver("set -m; sleep 1000 & sleep 1001 & echo ready; wait");
  kill_driver();
  expect_nobody_left();
}

TEST_F(DriverDeath, EndsTargetsThatIgnoreEverySignalTheyCan) {
  start_driver("trap '' TERM INT HUP; echo ready; sleep 1000; sleep 1000");
  kill_driver();
  expect_nobody_left();
}

TEST_F(DriverDeath, EndsAProcessThatForksAnewEveryMillisecond) {
  start_driver("echo ready; exec " REFORK_PROGRAM " wb-refork-t");
  std::this_thread::sleep_for(50ms);
  kill_driver();
  expect_nobody_left();
}

TEST_F(DriverDeath, EndsAStoppedTarget) {
  start_driver("echo ready; kill -STOP $$; sleep 1000");
  kill_driver();
  expect_nobody_left();
}

TEST_F(DriverDeath, IsNoticedThoughAnotherProcessHoldsTheDriversSocket) {
  // As in a driver that forked without executing: its copy of the socket stays open.
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const pid_t driver = ::fork();
  if (driver == 0) {
    const auto started = Supervisor::start(kSelf);
    const auto child = (*started)->spawn(shell("sleep 1000"));
    const pid_t copy = ::fork();
    if (copy == 0) {
      for (;;) ::pause();
    }
    const pid_t told[] = {(*started)->pid(), child->pid, copy};
    if (::write(ends[1], told, sizeof told) != sizeof told) ::_exit(1);
    for (;;) ::pause();
  }
  pid_t told[3] = {};
  ASSERT_EQ(::read(ends[0], told, sizeof told), static_cast<ssize_t>(sizeof told));
  const auto [supervisor, child, copy] = told;
  ::kill(driver, SIGKILL);
  ::waitpid(driver, nullptr, 0);
  EXPECT_TRUE(comes_true([&, pid = supervisor] { return ::waitpid(pid, nullptr, WNOHANG) > 0; }));
  EXPECT_EQ(process_state(child), '\0');
  ::kill(copy, SIGKILL);
  ::waitpid(copy, nullptr, 0);
}

TEST_F(DriverDeath, AtAnyInstantOfAStartLeavesNobody) {
  for (int round = 0; round < 30; ++round) {
    const pid_t driver = ::fork();
    if (driver == 0) {
      const auto started = Supervisor::start(kSelf);
      if (started) (void)(*started)->spawn(shell("sleep 1000 & sleep 1000"));
      for (;;) ::pause();
    }
    std::this_thread::sleep_for(round * 500us);
    ::kill(driver, SIGKILL);
    ::waitpid(driver, nullptr, 0);
    // All that it left is ours now; the wait ends with the last of them.
    EXPECT_TRUE(comes_true([] {
      while (::waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      return errno == ECHILD;
    })) << "round "
        << round;
  }
}

}  // namespace
}  // namespace weighbridge::os
