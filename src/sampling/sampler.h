#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "sampling/tree_sample.h"

namespace weighbridge::os {
class Supervisor;
}

namespace weighbridge::sampling {

/// Where the tree begins. Under a supervisor every descendant of it is the target's, double forks
/// included, because orphans return to it. An attached tree loses its orphans; that is a doubt.
struct Roots {
  os::Supervisor* supervisor = nullptr;  ///< borrowed; everything beneath it
  std::vector<pid_t> pids;               ///< attached processes (and their descendants)
};

/// A source the kernel did not offer, and what was used instead.
struct MissingSource {
  std::string source;    ///< e.g. "VmHWM reset (clear_refs)"
  std::string fallback;  ///< e.g. "largest sampled resident set"
};

/// One process that was seen in the tree.
struct ProcessLife {
  ProcessSample last;
  std::string command;  ///< command line, for the launcher list; may hold the target's secrets
  Instant first_seen;
  Instant last_seen;
  bool orphaned = false;  ///< its parent ended before it
};

/// Where TreeSample.cpu is from.
enum class CpuSource {
  processes,           ///< process clocks and the usage of those that were waited for
  processes_or_cgroup  ///< the larger of these and the account of the supervisor's cgroup
};

/// What a sampler saw from start to stop.
struct Trace {
  Duration interval{};
  std::vector<TreeSample> samples;
  std::vector<ProcessLife> processes;  ///< every process ever seen, in order of appearance
  std::vector<MissingSource> missing;
  Duration sampler_cpu{};  ///< the sampling thread's own processor time
  CpuSource cpu_source{};
  /// The most by which the cgroup's account exceeded the processes'. Up to 20 ms for each living
  /// parent is the rounding of its waited-for children; more is of children nobody waited for.
  Duration cpu_only_in_cgroup{};
};

/// Samples the target's process tree on its own thread. The other public calls are thread-safe and
/// may be used while it runs. Sources that are dear to read (sockets, the context switches of many
/// threads) are read at a tick only when they are due: so often that together they take at most one
/// part in a thousand of the time.
class Sampler {
 public:
  /// ErrorCode::target when an attached process cannot be read; usage for an interval below 1 ms.
  static Result<std::unique_ptr<Sampler>> start(Roots roots, Duration interval);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  /// Adds an attached process (ignored under a supervisor).
  void add_root(pid_t pid);

  /// Reads the whole tree now, dear sources included, on the caller's thread, and appends the
  /// reading to the trace.
  TreeSample read_now();
  /// With proportional and private-dirty sets.
  MemoryMoment read_moment();
  /// Resets every process's high-water mark (clear_refs 5), so that a later VmHWM is of this phase.
  /// False where the kernel refused for at least one process.
  bool reset_high_water();
  /// The last two readings of the trace, older first; equal, or empty samples, before there are
  /// two. Cheap.
  [[nodiscard]] std::pair<TreeSample, TreeSample> latest() const;
  /// Everything sampled so far.
  [[nodiscard]] Trace trace() const;
  /// Takes a last reading, stops the thread and returns the whole trace.
  Trace stop();

 private:
  class State;
  explicit Sampler(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Reads until two consecutive readings of the resident set, `pause` apart, are within 1 %
/// (method.md, "settled"), or until `ceiling` has passed. `read` gives bytes; `wait` sleeps (and
/// may pump a loop).
struct Settled {
  std::uint64_t resident_bytes = 0;
  bool settled = false;  ///< false: the ceiling was reached, a doubt
  int readings = 0;
};
Settled settle(const std::function<std::uint64_t()>& read,
               const std::function<void(Duration)>& wait, const Clock& clock, Duration pause,
               Duration ceiling);

}  // namespace weighbridge::sampling
