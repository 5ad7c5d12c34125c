#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "os/fd.h"

namespace weighbridge::os {

/// What to execute. Descriptors are borrowed; -1 means /dev/null.
struct SpawnRequest {
  std::vector<std::string>
      argv;  ///< argv[0] is looked up in PATH of `environment` unless it has a slash
  std::vector<std::string> environment;  ///< "NAME=value", complete: nothing is inherited
  std::string directory;                 ///< working directory; empty = the driver's
  int stdin_fd = -1;
  int stdout_fd = -1;
  int stderr_fd = -1;
  std::vector<int> cpus;                         ///< allowed cores; empty = no change
  std::optional<std::uint64_t> max_descriptors;  ///< RLIMIT_NOFILE, soft and hard
};

struct SpawnedChild {
  pid_t pid = 0;
  Instant before_spawn;   ///< just before fork
  Instant exec_returned;  ///< the child's exec has succeeded
};

/// A process reaped by the supervisor: a direct child of the target's launch, or one orphaned to
/// it.
struct ExitedChild {
  pid_t pid = 0;
  int wait_status = 0;  ///< as of waitpid
  Duration user{};      ///< with those descendants that it had waited for itself
  Duration system{};
  std::int64_t max_resident_kib = 0;
  bool orphan = false;  ///< not spawned by us: its parent died before it
  Instant at;
};

/// A process found alive where none should be.
struct Survivor {
  pid_t pid = 0;
  std::string command;
};

/// The process between the driver and the targets. It runs in its own session, is the subreaper of
/// all it starts, and outlives the driver: when the driver dies, however it dies, it kills every
/// descendant until none is left and only then ends. It also reaps, and forwards each child's
/// usage.
///
/// The same executable is run with `supervise` as its first word, so that one file copied to
/// another machine is a whole Weighbridge. Thread-safe.
class Supervisor {
 public:
  /// `program`: executable whose main() calls supervise_main() when argv[1] is "supervise".
  static Result<std::unique_ptr<Supervisor>> start(const std::string& program);
  /// Ends all descendants, then the supervisor itself.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  [[nodiscard]] pid_t pid() const;

  /// ErrorCode::target when the command cannot be executed (not found, not executable).
  Result<SpawnedChild> spawn(const SpawnRequest& request);

  /// Everything reaped so far, in order; never forgets.
  [[nodiscard]] std::vector<ExitedChild> exited() const;
  [[nodiscard]] std::optional<ExitedChild> exited(pid_t pid) const;
  /// Waits until `pid` was reaped or the deadline passed.
  std::optional<ExitedChild> wait_for_exit(pid_t pid, Instant deadline);

  /// Sends `signal` to `pid` (a child spawned here and not yet reaped; else no-op).
  void signal(pid_t pid, int signal);

  /// Kills every process under the supervisor and waits until none is left. Returns those that were
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
