#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/clock.h"

namespace weighbridge::sampling {

/// Processor time. `total` is exact where a nanosecond clock gave it; the split is in ticks.
struct CpuTime {
  Duration total{};
  Duration user{};
  Duration system{};

  CpuTime& operator+=(const CpuTime& other);
  friend CpuTime operator+(CpuTime left, const CpuTime& right) { return left += right; }
};

/// Whichever has the greater total.
CpuTime larger(const CpuTime& left, const CpuTime& right);
/// The greater of each figure.
CpuTime at_least(const CpuTime& left, const CpuTime& right);

/// A process that could be read (unreaped ones included).
struct LiveCpu {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;
  pid_t parent = 0;
  CpuTime own;
  CpuTime children;  ///< of those that it has waited for (cutime, cstime)
};

/// A process that the supervisor has reaped.
struct ReapedCpu {
  pid_t pid = 0;
  CpuTime usage;  ///< with those descendants that it had waited for
};

/// Adds up the processor time of every process that ever belonged to a tree, each once.
///
/// A process that ends is found again in one of three places: in the supervisor's log (exact), in
/// the account of the parent that waited for it, or nowhere, when its parent ignores SIGCHLD or was
/// outside the tree. So every process carries besides its own time the larger of what the kernel
/// says it has waited for and what was last seen of children that vanished under it: the first
/// knows children too short-lived to be seen, the second those that were never waited for.
///
/// What is asked of the caller: readings of parents stand before those of their children (a child
/// that ends in between is then missing for one update, never counted twice), and `reaped` has
/// everybody who was reaped before he could be read, but nobody who was read alive.
class CpuLedger {
 public:
  /// The account after one reading of the tree. No figure ever decreases.
  CpuTime update(std::span<const LiveCpu> live, std::span<const ReapedCpu> reaped);

 private:
  struct Entry {
    std::uint64_t start_ticks = 0;
    pid_t parent = 0;
    CpuTime own;
    CpuTime children;
    CpuTime vanished;        // last seen of children that vanished without a record
    std::uint64_t seen = 0;  // update in which it was last read

    [[nodiscard]] CpuTime sum() const { return own + larger(children, vanished); }
  };

  void note(const LiveCpu& process);
  void settle(const ReapedCpu& record);
  void settle_vanished(std::span<const ReapedCpu> reaped);
  [[nodiscard]] int depth(pid_t pid) const;

  std::map<pid_t, Entry> entries_;
  CpuTime ended_;  // of processes that need no entry any more
  CpuTime reported_;
  std::uint64_t update_ = 0;
};

}  // namespace weighbridge::sampling
