#include "os/detail/launch.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "os/real_clock.h"

namespace weighbridge::os::detail {
namespace {

/// All that the child needs, made before the fork: between fork and exec it only makes system
/// calls.
struct Preparation {
  std::vector<char*> argv;
  std::vector<char*> environment;
  const char* directory = nullptr;
  int streams[3] = {-1, -1, -1};
  const rlimit* descriptors = nullptr;
  const cpu_set_t* cpus = nullptr;
  int failure_pipe = -1;
};

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

// A plain fork, but born in the cgroup. Moving a process there afterwards would make it wait for
// the kernel's whole-system lock, milliseconds that would be charged to the target's start.
pid_t fork_into(int cgroup_fd) {
  clone_args arguments{};
  arguments.flags = CLONE_INTO_CGROUP;
  arguments.exit_signal = SIGCHLD;
  arguments.cgroup = static_cast<__u64>(cgroup_fd);
  const long pid = cgroup_fd >= 0 ? ::syscall(SYS_clone3, &arguments, sizeof arguments) : -1;
  return pid >= 0 ? static_cast<pid_t>(pid) : ::fork();
}

void undo_what_was_inherited() {
  constexpr unsigned long kDefaultTimerSlack = 50'000;
  // The driver's loop sharpens its timers; a target measured with sharper timers than its users
  // have would be another target.
  ::prctl(PR_SET_TIMERSLACK, kDefaultTimerSlack);
  // The kernel's own call, because the C library keeps its hands off two signals that it reserves,
  // and hosts exist that leave them ignored. All zero is SIG_DFL without flags or mask.
  constexpr std::array<unsigned long, 4> kDefault{};
  for (int number = 1; number < NSIG; ++number)
    ::syscall(SYS_rt_sigaction, number, kDefault.data(), nullptr, sizeof(unsigned long));
}

[[noreturn]] void give_up(const Preparation& preparation, LaunchStep step) {
  const LaunchFailure failure{step, errno};
  [[maybe_unused]] const auto written = ::write(preparation.failure_pipe, &failure, sizeof failure);
  ::_exit(127);
}

[[noreturn]] void become(const Preparation& preparation) {
  ::setpgid(0, 0);
  undo_what_was_inherited();
  for (int number = 0; number < 3; ++number)
    if (::dup2(preparation.streams[number], number) < 0)
      give_up(preparation, LaunchStep::descriptors);
  if (preparation.directory != nullptr && ::chdir(preparation.directory) != 0)
    give_up(preparation, LaunchStep::directory);
  if (preparation.descriptors != nullptr &&
      ::setrlimit(RLIMIT_NOFILE, preparation.descriptors) != 0)
    give_up(preparation, LaunchStep::descriptors);
  if (preparation.cpus != nullptr &&
      ::sched_setaffinity(0, sizeof(cpu_set_t), preparation.cpus) != 0)
    give_up(preparation, LaunchStep::cpus);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // execvp looks PATH up in `environ`: the one that the target is to have.
  ::environ = const_cast<char**>(preparation.environment.data());
  ::execvp(preparation.argv[0], preparation.argv.data());
  give_up(preparation, LaunchStep::execute);
}

}  // namespace

std::expected<SpawnedChild, LaunchFailure> launch(const SpawnWords& words, const Fd& stdin_fd,
                                                  const Fd& stdout_fd, const Fd& stderr_fd,
                                                  int cgroup_fd) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::unexpected(LaunchFailure{LaunchStep::fork, errno});
  const Fd failure_read(ends[0]);
  Fd failure_write(ends[1]);

  Preparation preparation{.argv = pointers(words.argv),
                          .environment = pointers(words.environment),
                          .directory = words.directory.empty() ? nullptr : words.directory.c_str(),
                          .streams = {stdin_fd.get(), stdout_fd.get(), stderr_fd.get()},
                          .failure_pipe = failure_write.get()};
  rlimit descriptors{};
  if (words.max_descriptors) {
    descriptors = {.rlim_cur = *words.max_descriptors, .rlim_max = *words.max_descriptors};
    preparation.descriptors = &descriptors;
  }
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  for (const int cpu : words.cpus)
    if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET(cpu, &cpus);
  if (!words.cpus.empty()) preparation.cpus = &cpus;

  SpawnedChild child;
  child.before_spawn = now();
  child.pid = fork_into(cgroup_fd);
  if (child.pid < 0) return std::unexpected(LaunchFailure{LaunchStep::fork, errno});
  if (child.pid == 0) become(preparation);

  failure_write.reset();
  LaunchFailure failure;
  ssize_t got = 0;
  do {
    got = ::read(failure_read.get(), &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  child.exec_returned = now();
  if (got != sizeof failure) return child;
  // Nothing of the target ever ran, so the log of the reaped does not hear of it.
  ::waitpid(child.pid, nullptr, 0);
  return std::unexpected(failure);
}

}  // namespace weighbridge::os::detail
