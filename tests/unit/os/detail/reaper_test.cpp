#include "os/detail/reaper.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "os/detail/launch.h"
#include "os/process_list.h"
#include "os/real_clock.h"

namespace weighbridge::os::detail {
namespace {

// Without a cgroup, as an ordinary user has it, and by each of the two ways to find descendants.
// Each case runs in a fork that takes the supervisor's place, as it must be a subreaper and have no
// other children.
class ReaperAlone : public testing::TestWithParam<bool> {
 protected:
  template <typename Case>
  static int in_a_fork(Case body) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::prctl(PR_SET_CHILD_SUBREAPER, 1UL);
      ReapLog log = ReapLog::create().value();
      Reaper reaper(log, nullptr, GetParam());
      ::_exit(body(reaper, log));
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  static pid_t start(Reaper& reaper, std::vector<std::string> argv) {
    const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    SpawnWords words;
    words.argv = std::move(argv);
    words.environment = {"PATH=/usr/bin:/bin"};
    const auto child = launch(words, null, null, null, /*cgroup_fd=*/-1);
    if (!child) return 0;
    reaper.expect(child->pid);
    return child->pid;
  }
};

TEST_P(ReaperAlone, EndsAProcessThatForksAnewEveryMillisecond) {
  EXPECT_EQ(in_a_fork([](Reaper& reaper, const ReapLog&) {
              if (start(reaper, {REFORK_PROGRAM, "wb-refork-r"}) == 0) return 1;
              std::this_thread::sleep_for(50ms);
              reaper.end_all(now() + 30s);
              return reaper.reap() ? 2 : 0;
            }),
            0);
}

TEST_P(ReaperAlone, EndsATreeOfSessionsAndReportsAllOfIt) {
  EXPECT_EQ(in_a_fork([](Reaper& reaper, const ReapLog&) {
              const pid_t top =
                  start(reaper,
                        {"sh", "-c", "setsid sh -c 'setsid sleep 1000 & sleep 1000; true'; true"});
              if (top == 0) return 1;
              for (int tries = 0; tries < 10'000; ++tries) {
                const auto inner = children_of(top);
                if (!inner.empty() && children_of(inner[0]).size() == 2) break;
                std::this_thread::sleep_for(1ms);
              }
              const auto found = reaper.end_all(now() + 30s);
              if (found.size() != 4) return 2;
              for (const Survivor& each : found)
                if (process_state(each.pid) != '\0') return 3;
              return reaper.reap() ? 4 : 0;
            }),
            0);
}

TEST_P(ReaperAlone, HasNothingToEndWhenAllHasEnded) {
  EXPECT_EQ(in_a_fork([](Reaper& reaper, const ReapLog& log) {
              start(reaper, {"true"});
              while (reaper.reap()) std::this_thread::sleep_for(1ms);
              return reaper.end_all(now() + 30s).empty() && log.size() == 1 ? 0 : 1;
            }),
            0);
}

INSTANTIATE_TEST_SUITE_P(Ways, ReaperAlone, testing::Values(true, false),
                         [](const auto& way) { return way.param ? "ByChildrenFiles" : "ByScan"; });

}  // namespace
}  // namespace weighbridge::os::detail
