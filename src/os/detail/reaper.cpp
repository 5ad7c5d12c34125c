#include "os/detail/reaper.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "os/process_list.h"
#include "os/real_clock.h"

namespace weighbridge::os::detail {
namespace {

Duration span_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

// On a busy machine a process that sleeps and forks is scheduled sooner than one that searches.
// Root may ask to go first; for others this changes nothing.
class Hurry {
 public:
  Hurry() { ::setpriority(PRIO_PROCESS, 0, -20); }
  ~Hurry() { ::setpriority(PRIO_PROCESS, 0, previous_); }
  Hurry(const Hurry&) = delete;
  Hurry& operator=(const Hurry&) = delete;

 private:
  int previous_ = ::getpriority(PRIO_PROCESS, 0);
};

}  // namespace

bool Reaper::reap() {
  for (;;) {
    // Looked at before it is taken, so that the log's generation moves only when a process really
    // vanishes.
    siginfo_t seen{};
    if (::waitid(P_ALL, 0, &seen, WEXITED | WNOHANG | WNOWAIT) != 0) return errno != ECHILD;
    if (seen.si_pid == 0) return true;
    reap_one(seen.si_pid);
  }
}

void Reaper::reap_one(pid_t pid) {
  ExitedChild child;
  rusage usage{};
  log_.begin();
  child.pid = ::wait4(pid, &child.wait_status, 0, &usage);
  child.at = now();
  child.user = span_of(usage.ru_utime);
  child.system = span_of(usage.ru_stime);
  child.max_resident_kib = usage.ru_maxrss;
  child.orphan = spawned_.erase(pid) == 0;
  log_.commit(child.pid == pid ? &child : nullptr);
}

// True when `pid` had not been stopped before.
bool Reaper::stop(pid_t pid, std::set<pid_t>& stopped, std::vector<Survivor>& found) {
  if (!stopped.insert(pid).second) return false;
  ::kill(pid, SIGSTOP);
  const char state = process_state(pid);
  if (state != '\0' && state != 'Z' && state != 'X')
    found.push_back({.pid = pid, .command = command_line(pid)});
  return true;
}

// Parents before children: a stopped parent neither forks nor waits, so the numbers of its children
// cannot come to mean other processes before they are killed. True when it met anyone new.
bool Reaper::stop_descendants(pid_t parent, std::set<pid_t>& stopped,
                              std::vector<Survivor>& found) {
  bool met_new = false;
  for (const pid_t child : children_of(parent)) {
    met_new |= stop(child, stopped, found);
    met_new |= stop_descendants(child, stopped, found);
  }
  return met_new;
}

bool Reaper::stop_by_scan(std::set<pid_t>& stopped, std::vector<Survivor>& found) {
  const pid_t self = ::getpid();
  bool met_new = false;
  std::vector<ProcessLink> links;
  for_each_process([&](const ProcessLink& link) {
    if (link.parent == self) met_new |= stop(link.pid, stopped, found);
    links.push_back(link);
  });
  std::set<pid_t> tree{self};
  for (bool grew = true; grew;) {
    grew = false;
    for (const ProcessLink& link : links)
      if (tree.contains(link.parent) && tree.insert(link.pid).second) {
        met_new |= stop(link.pid, stopped, found);
        grew = true;
      }
  }
  return met_new;
}

std::vector<Survivor> Reaper::end_all(Instant deadline) {
  constexpr int kStopPasses = 16;
  constexpr Duration kLongestPause = 50ms;
  const Hurry hurry;
  std::vector<Survivor> survivors;
  Duration pause = 200us;
  while (reap()) {
    // Numbers are valid for one round only: what was reaped since may be somebody else's by now.
    std::set<pid_t> stopped;
    std::vector<Survivor> found;
    // A process that forks faster than it can be found stands still once stopped; another pass
    // finds the children that it had managed to make.
    for (int pass = 0; pass < kStopPasses; ++pass) {
      const bool met_new = by_children_files_ ? stop_descendants(::getpid(), stopped, found)
                                              : stop_by_scan(stopped, found);
      if (!met_new) break;
    }
    for (const pid_t pid : stopped) ::kill(pid, SIGKILL);
    if (cgroup_ != nullptr) (void)cgroup_->kill();
    for (Survivor& each : found) {
      const bool listed = std::any_of(survivors.begin(), survivors.end(),
                                      [&](const Survivor& s) { return s.pid == each.pid; });
      if (!listed) survivors.push_back(std::move(each));
    }
    if (now() >= deadline) break;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
  return survivors;
}

}  // namespace weighbridge::os::detail
