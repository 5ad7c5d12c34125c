#pragma once

#include <set>
#include <vector>

#include "os/cgroup.h"
#include "os/detail/reap_log.h"
#include "os/supervisor.h"

namespace weighbridge::os::detail {

/// Waits for and ends the supervisor's descendants. This process must be their subreaper.
class Reaper {
 public:
  /// Both borrowed; `cgroup` may be null. `by_children_files`: see os/process_list.h.
  Reaper(ReapLog& log, const Cgroup* cgroup, bool by_children_files)
      : log_(log), cgroup_(cgroup), by_children_files_(by_children_files) {}

  /// A child of our own; all others that are reaped are orphans.
  void expect(pid_t pid) { spawned_.insert(pid); }
  [[nodiscard]] bool knows(pid_t pid) const { return spawned_.contains(pid); }

  /// Reaps whatever has ended. False once no descendant is left at all.
  bool reap();

  /// Stops, then kills every descendant, again and again, until none is left or `deadline` has
  /// passed (a process in an uninterruptible system call dies only when that returns). Returns all
  /// that were found alive.
  std::vector<Survivor> end_all(Instant deadline);

 private:
  void reap_one(pid_t pid);
  bool stop_descendants(pid_t parent, std::set<pid_t>& stopped, std::vector<Survivor>& found);
  bool stop_by_scan(std::set<pid_t>& stopped, std::vector<Survivor>& found);
  bool stop(pid_t pid, std::set<pid_t>& stopped, std::vector<Survivor>& found);

  ReapLog& log_;
  const Cgroup* cgroup_;
  const bool by_children_files_;
  std::set<pid_t> spawned_;  // and not reaped yet
};

}  // namespace weighbridge::os::detail
