#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "os/cgroup.h"

namespace weighbridge::os {

/// What to execute. Descriptors are borrowed; -1 means /dev/null. The child gets these three and no
/// other, its own process group, default signal dispositions and the system's default timer slack.
struct SpawnRequest {
  /// argv[0] is looked up in the PATH of `environment` unless it has a slash.
  std::vector<std::string> argv{};
  std::vector<std::string> environment{};  ///< "NAME=value", complete: nothing is inherited
  /// Working directory; empty = the driver's when the supervisor started.
  std::string directory{};
  int stdin_fd = -1;
  int stdout_fd = -1;
  int stderr_fd = -1;
  std::vector<int> cpus{};                         ///< allowed cores; empty = no change
  std::optional<std::uint64_t> max_descriptors{};  ///< RLIMIT_NOFILE, soft and hard
};

struct SpawnedChild {
  pid_t pid = 0;
  Instant before_spawn;   ///< just before fork, in the supervisor
  Instant exec_returned;  ///< the child's exec has succeeded
};

/// A process reaped by the supervisor: a direct child of the target's launch, or one orphaned to
/// it.
struct ExitedChild {
  pid_t pid = 0;
  int wait_status = 0;  ///< as of waitpid
  Duration user{};      ///< with those descendants that it had waited for itself
  Duration system{};
  std::int64_t max_resident_kib = 0;  ///< at least the forked supervisor's, about 1 MiB
  bool orphan = false;                ///< not spawned by us: its parent died before it
  Instant at;
};

/// A process found alive where none should be.
struct Survivor {
  pid_t pid = 0;
  std::string command;
};

/// The process between the driver and the targets. It runs in its own session, is the subreaper of
/// all it starts, and outlives the driver: when the driver dies, however it dies, it kills every
/// descendant until none is left and only then ends. It also reaps, and keeps each child's usage
/// where the driver can read it. Where a version 2 cgroup can be made, all it starts live in one,
/// which makes killing surer and accounts for processes that nobody waited for.
///
/// Out of its reach: what a target has somebody else start (a container daemon, systemd), and on
/// kernels without pidfd (before 5.3) a driver whose forked copy still holds its socket.
///
/// The same executable is run with `supervise` as its first word, so that one file copied to
/// another machine is a whole Weighbridge. Thread-safe.
class Supervisor {
 public:
  /// `program`: executable whose main() calls supervise_main() when argv[1] is "supervise".
  static Result<std::unique_ptr<Supervisor>> start(const std::string& program);
  /// Ends all descendants, then the supervisor itself. Waits for that half a minute at most.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  [[nodiscard]] pid_t pid() const;

  /// ErrorCode::target when the command cannot be executed (not found, not executable).
  Result<SpawnedChild> spawn(const SpawnRequest& request);

  /// Everything reaped so far, in order; never forgets (but holds a million at most).
  [[nodiscard]] std::vector<ExitedChild> exited() const;
  /// How the process ended that was last spawned under this number, or else an orphan of it.
  [[nodiscard]] std::optional<ExitedChild> exited(pid_t pid) const;
  /// Those reaped after the first `position`; for readers that come back for more.
  [[nodiscard]] std::vector<ExitedChild> exited_since(std::size_t position) const;
  /// Whether a process of that number was ever spawned here; if not, it is an orphan.
  [[nodiscard]] bool has_spawned(pid_t pid) const;
  /// Moves by one before a process vanishes and again when its record can be read: odd in between.
  /// Who reads the same even value before and after reading live processes has met every process
  /// exactly once, alive (or unreaped) or in exited().
  [[nodiscard]] std::uint32_t reap_generation() const;
  /// Processor time of everything ever spawned, as the kernel accounts for it, lost children
  /// included; nullopt where no cgroup could be made.
  [[nodiscard]] std::optional<CgroupCpu> cgroup_cpu() const;
  /// Waits until `pid` was reaped or the deadline passed.
  std::optional<ExitedChild> wait_for_exit(pid_t pid, Instant deadline);

  /// Sends `signal` to `pid` (a child spawned here and not yet reaped; else no-op). Through the
  /// supervisor, which alone knows whether the number still means that child.
  void signal(pid_t pid, int signal);

  /// Kills every process under the supervisor and waits until none is left (half a minute at most:
  /// one in an uninterruptible system call dies only when that returns). Returns those that were
  /// alive, so that a mode which thought it had stopped its target can report what it had to end.
  std::vector<Survivor> end_all();

 private:
  class State;
  explicit Supervisor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The supervisor's own main loop. Never returns to the caller's main flow: returns its exit code.
int supervise_main(int argc, char** argv);

}  // namespace weighbridge::os
