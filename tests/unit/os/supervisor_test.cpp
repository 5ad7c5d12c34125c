#include "os/supervisor.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "os/fd.h"
#include "os/process_list.h"
#include "os/read_file.h"
#include "os/real_clock.h"
#include "supervised.h"

namespace weighbridge::os {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;

class SupervisorTest : public testing::Test {
 protected:
  Result<SpawnedChild> spawn_with_output(SpawnRequest request) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    output_ = Fd(ends[0]);
    const Fd write(ends[1]);
    request.stdout_fd = write.get();
    return supervisor->spawn(request);
  }
  // All that the child writes until it and its children have closed the pipe.
  std::string output() {
    std::string text;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(output_.get(), buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(got));
    return text;
  }
  std::string output_of(const SpawnRequest& request) {
    const auto child = spawn_with_output(request);
    return child ? output() : describe(child.error());
  }

  std::unique_ptr<Supervisor> supervisor = Supervisor::start(kSelf).value();

 private:
  Fd output_;
};

TEST_F(SupervisorTest, RunsACommandAndTellsHowItEnded) {
  const Instant before = now();
  const auto child = supervisor->spawn(shell("exit 7"));
  ASSERT_TRUE(child);
  const auto exited = supervisor->wait_for_exit(child->pid, soon());
  ASSERT_TRUE(exited);
  EXPECT_EQ(exited->pid, child->pid);
  EXPECT_EQ(WEXITSTATUS(exited->wait_status), 7);
  EXPECT_FALSE(exited->orphan);
  EXPECT_GT(exited->max_resident_kib, 0);
  EXPECT_LE(before, child->before_spawn);
  EXPECT_LT(child->before_spawn, child->exec_returned);
  EXPECT_LE(child->exec_returned, exited->at);
  EXPECT_LE(exited->at, now());
}

TEST_F(SupervisorTest, GivesTheChildItsStreamsEnvironmentAndDirectory) {
  auto request = shell("env | sort; cat");
  request.directory = "/usr";
  request.environment = {"GREETING=good day", "PATH=/bin:/usr/bin"};
  // PWD is what the shell itself adds.
  EXPECT_EQ(output_of(request), "GREETING=good day\nPATH=/bin:/usr/bin\nPWD=/usr\n");
}

TEST_F(SupervisorTest, LooksTheCommandUpInTheTargetsPathNotInItsOwn) {
  EXPECT_TRUE(
      supervisor->spawn({.argv = {"true"}, .environment = {"PATH=/nowhere:/usr/bin:/bin"}}));
  EXPECT_FALSE(supervisor->spawn({.argv = {"true"}, .environment = {"PATH=/nowhere"}}));
}

TEST_F(SupervisorTest, ACommandThatDoesNotExistIsOneClearError) {
  const auto child = supervisor->spawn({.argv = {"no-such-server"}, .environment = {"PATH=/bin"}});
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, ErrorCode::target);
  EXPECT_EQ(child.error().what, "cannot run \"no-such-server\": No such file or directory");
  EXPECT_THAT(child.error().remedy, HasSubstr("PATH"));
  // Nothing of a target ran, so nothing is told of one.
  EXPECT_TRUE(supervisor->exited().empty());
}

TEST_F(SupervisorTest, ACommandThatMayNotBeExecutedIsOneClearError) {
  const auto child = supervisor->spawn({.argv = {"/etc/passwd"}, .environment = {}});
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, ErrorCode::target);
  EXPECT_EQ(child.error().what, "cannot run \"/etc/passwd\": Permission denied");
}

TEST_F(SupervisorTest, AWrongDirectoryIsNamed) {
  auto request = shell("true");
  request.directory = "/no/such/place";
  const auto child = supervisor->spawn(request);
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, ErrorCode::target);
  EXPECT_THAT(child.error().what, HasSubstr("/no/such/place"));
}

TEST_F(SupervisorTest, CarriesArgumentsAndEnvironmentLargerThanAnyPacket) {
  SpawnRequest request = shell("echo $# ${#BIG}");
  request.argv.push_back("name");
  for (int i = 0; i < 10'000; ++i) request.argv.emplace_back(100, 'a');
  request.environment.push_back("BIG=" + std::string(100'000, 'b'));
  EXPECT_EQ(output_of(request), "10000 100000\n");
}

TEST_F(SupervisorTest, TheChildHasNoOtherDescriptors) {
  // The one without close-on-exec stands for what a library left open.
  const Fd leaky(::open("/dev/null", O_RDONLY));
  supervisor = Supervisor::start(kSelf).value();
  auto request = shell("exec ls -l /proc/self/fd");
  const std::string listing = output_of(request);
  // "total 0", the three streams, and the directory that ls itself reads.
  EXPECT_EQ(std::count(listing.begin(), listing.end(), '\n'), 5) << listing;
}

TEST_F(SupervisorTest, TheChildHasDefaultSignalsAnEmptyMaskAndDefaultTimerSlack) {
  // Not through a shell, which would put some of it right itself.
  const std::string status =
      output_of({.argv = {"cat", "/proc/self/status"}, .environment = {"PATH=/usr/bin:/bin"}});
  EXPECT_THAT(status, HasSubstr("SigBlk:\t0000000000000000"));
  EXPECT_THAT(status, HasSubstr("SigIgn:\t0000000000000000"));
  ::prctl(PR_SET_TIMERSLACK, 1UL);
  supervisor = Supervisor::start(kSelf).value();
  EXPECT_EQ(output_of(shell("cat /proc/self/timerslack_ns")), "50000\n");
  ::prctl(PR_SET_TIMERSLACK, 0UL);
}

TEST_F(SupervisorTest, EachChildHasItsOwnProcessGroup) {
  const auto first = supervisor->spawn(shell("sleep 1000"));
  const auto second = supervisor->spawn(shell("sleep 1000"));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(::getpgid(first->pid), first->pid);
  EXPECT_EQ(::getpgid(second->pid), second->pid);
  EXPECT_EQ(::getsid(first->pid), supervisor->pid());
}

TEST_F(SupervisorTest, SetsTheDescriptorLimitAndTheCores) {
  auto request = shell("ulimit -n; ulimit -Hn; grep Cpus_allowed_list /proc/self/status");
  request.max_descriptors = 77;
  request.cpus = {0};
  EXPECT_EQ(output_of(request), "77\n77\nCpus_allowed_list:\t0\n");
}

TEST_F(SupervisorTest, CoresThatDoNotExistAreAnError) {
  auto request = shell("true");
  request.cpus = {1000};
  const auto child = supervisor->spawn(request);
  ASSERT_FALSE(child);
  EXPECT_THAT(describe(child.error()), HasSubstr("cores"));
}

TEST_F(SupervisorTest, PassesASignalToAChildAndIgnoresStrangers) {
  const auto child = supervisor->spawn(shell("sleep 1000"));
  ASSERT_TRUE(child);
  supervisor->signal(::getpid(), SIGKILL);
  supervisor->signal(child->pid, SIGTERM);
  const auto exited = supervisor->wait_for_exit(child->pid, soon());
  ASSERT_TRUE(exited);
  EXPECT_TRUE(WIFSIGNALED(exited->wait_status));
  EXPECT_EQ(WTERMSIG(exited->wait_status), SIGTERM);
}

TEST_F(SupervisorTest, WaitingGivesUpAtItsDeadline) {
  const auto child = supervisor->spawn(shell("sleep 1000"));
  ASSERT_TRUE(child);
  const Instant deadline = now() + 20ms;
  EXPECT_FALSE(supervisor->wait_for_exit(child->pid, deadline));
  EXPECT_GE(now(), deadline);
}

TEST_F(SupervisorTest, CountsTheProcessorTimeOfAChildWithThatOfItsChildren) {
  const auto child =
      supervisor->spawn(shell("sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'; true"));
  ASSERT_TRUE(child);
  const auto exited = supervisor->wait_for_exit(child->pid, soon());
  ASSERT_TRUE(exited);
  EXPECT_GT(exited->user + exited->system, 10ms);
}

TEST_F(SupervisorTest, AdoptsReapsAndReportsAnOrphan) {
  const auto child = supervisor->spawn(shell("(sleep 0.05; exit 3) & echo $! >&3; exit 0"));
  ASSERT_TRUE(child);
  ASSERT_TRUE(supervisor->wait_for_exit(child->pid, soon()));
  const auto orphan_reaped = [&] {
    const auto all = supervisor->exited();
    return std::any_of(all.begin(), all.end(), [&](const ExitedChild& each) {
      return each.orphan && WEXITSTATUS(each.wait_status) == 3 && each.pid != child->pid;
    });
  };
  EXPECT_TRUE(comes_true(orphan_reaped));
}

TEST_F(SupervisorTest, GenerationIsEvenAtRestAndMovesWithEveryReaping) {
  const std::uint32_t before = supervisor->reap_generation();
  EXPECT_EQ(before % 2, 0U);
  const auto child = supervisor->spawn(shell("true"));
  ASSERT_TRUE(child);
  ASSERT_TRUE(supervisor->wait_for_exit(child->pid, soon()));
  EXPECT_TRUE(comes_true([&] { return supervisor->reap_generation() == before + 2; }));
  EXPECT_EQ(supervisor->exited_since(1).size(), 0U);
  EXPECT_EQ(supervisor->exited_since(0).size(), 1U);
}

TEST_F(SupervisorTest, ReapsHundredsWithoutForgettingOne) {
  const auto child =
      supervisor->spawn(shell("i=0; while [ $i -lt 300 ]; do (true &); i=$((i+1)); done; exit 0"));
  ASSERT_TRUE(child);
  ASSERT_TRUE(supervisor->wait_for_exit(child->pid, soon()));
  EXPECT_TRUE(comes_true([&] { return supervisor->exited().size() == 301; }))
      << supervisor->exited().size();
}

TEST_F(SupervisorTest, EndAllReportsAChildThatOutlivedItsParent) {
  const auto child = supervisor->spawn(shell("sleep 1001 & exit 0"));
  ASSERT_TRUE(child);
  ASSERT_TRUE(supervisor->wait_for_exit(child->pid, soon()));
  ASSERT_TRUE(comes_true([&] {
    const auto orphans = children_of(supervisor->pid());
    return !orphans.empty() && command_line(orphans[0]) == "sleep 1001";
  }));
  const auto survivors = supervisor->end_all();
  ASSERT_EQ(survivors.size(), 1U);
  EXPECT_EQ(survivors[0].command, "sleep 1001");
  EXPECT_EQ(process_state(survivors[0].pid), '\0');
  EXPECT_TRUE(supervisor->end_all().empty());
  // And it still works.
  EXPECT_TRUE(supervisor->spawn(shell("true")));
}

TEST_F(SupervisorTest, EndAllReportsTheWholeTree) {
  const auto child = supervisor->spawn(shell("sh -c 'sleep 1002; true'; true"));
  ASSERT_TRUE(child);
  ASSERT_TRUE(comes_true([&] {
    const auto inner = children_of(child->pid);
    const auto innermost = inner.empty() ? inner : children_of(inner[0]);
    return !innermost.empty() && command_line(innermost[0]) == "sleep 1002";
  }));
  EXPECT_THAT(
      supervisor->end_all(),
      AllOf(testing::SizeIs(3), Contains(Field(&Survivor::command, "sh -c sleep 1002; true")),
            Contains(Field(&Survivor::command, "sleep 1002")),
            Contains(Field(&Survivor::pid, child->pid))));
}

TEST_F(SupervisorTest, CanBeUsedFromSeveralThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 10; ++round) {
        const auto child = supervisor->spawn(shell("exit " + std::to_string(i)));
        ASSERT_TRUE(child);
        const auto exited = supervisor->wait_for_exit(child->pid, soon());
        ASSERT_TRUE(exited);
        EXPECT_EQ(WEXITSTATUS(exited->wait_status), i);
      }
    });
  for (std::thread& each : threads) each.join();
}

TEST_F(SupervisorTest, AccountsForChildrenThatNobodyWaitedFor) {
  if (!supervisor->cgroup_cpu()) GTEST_SKIP() << "no cgroup can be made here";
  // With SIGCHLD ignored, the kernel reaps the children, and no clock but the cgroup's keeps their
  // time.
  const auto child = supervisor->spawn(shell(
      "trap '' CHLD; sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done' & sleep 1000"));
  ASSERT_TRUE(child);
  ASSERT_TRUE(comes_true([&] { return supervisor->cgroup_cpu()->total > 100ms; }));
}

TEST_F(SupervisorTest, IsGoneAndItsCgroupWithItWhenDestroyed) {
  const pid_t pid = supervisor->pid();
  const auto child = supervisor->spawn(shell("sleep 1000"));
  ASSERT_TRUE(child);
  const auto cgroup = own_cgroup_directory(
      read_file("/proc/self/mountinfo").value_or(""),
      read_file("/proc/" + std::to_string(child->pid) + "/cgroup").value_or(""));
  supervisor.reset();
  EXPECT_EQ(process_state(pid), '\0');
  EXPECT_EQ(process_state(child->pid), '\0');
  if (cgroup.find("weighbridge-") != std::string::npos) {
    EXPECT_NE(::access(cgroup.c_str(), F_OK), 0) << cgroup;
  }
}

TEST_F(SupervisorTest, ALostSupervisorIsAnErrorAndItsChildrenAreEndedAllTheSame) {
  const auto child = supervisor->spawn(shell("sleep 1000"));
  ASSERT_TRUE(child);
  ::kill(supervisor->pid(), SIGKILL);
  const auto next = supervisor->spawn(shell("true"));
  ASSERT_FALSE(next);
  EXPECT_THAT(next.error().what, HasSubstr("supervisor"));
  EXPECT_TRUE(supervisor->end_all().empty());
  supervisor.reset();
  EXPECT_TRUE(comes_true([&] {
    const char state = process_state(child->pid);
    return state == '\0' || state == 'Z';
  }));
}

TEST(SupervisorStart, AProgramThatIsNoWeighbridgeIsAnError) {
  EXPECT_FALSE(Supervisor::start("/no/such/program"));
  EXPECT_FALSE(Supervisor::start("/bin/true"));
}

}  // namespace
}  // namespace weighbridge::os
