#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace weighbridge::sampling {

/// TCP states as the kernel numbers them (include/net/tcp_states.h): 1 ESTABLISHED … 10 LISTEN, 11
/// CLOSING.
constexpr std::size_t kTcpStates = 12;

/// One process at one instant. nullopt: the kernel did not offer the source (never zero).
struct ProcessSample {
  pid_t pid = 0;
  pid_t parent = 0;
  std::uint64_t start_ticks = 0;  ///< with pid, the identity of a process: pids are reused
  std::string name;
  std::uint64_t resident_bytes = 0;                 ///< VmRSS
  std::optional<std::uint64_t> high_water_bytes;    ///< VmHWM since the last reset
  std::optional<std::uint64_t> proportional_bytes;  ///< Pss; only within a MemoryMoment
  Duration cpu{};                                   ///< own process clock, nanoseconds
  Duration user{};                                  ///< stat, 10 ms ticks
  Duration system{};
  Duration reaped_children_cpu{};  ///< cutime + cstime, 10 ms ticks
  std::uint64_t threads = 0;
  std::optional<std::uint64_t> descriptors;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  /// rchar and wchar: through system calls, those of waited-for children included.
  std::optional<std::uint64_t> read_bytes;
  std::optional<std::uint64_t> written_bytes;
  std::uint64_t voluntary_switches = 0;  ///< of all threads, as of the last time it was due
  std::uint64_t involuntary_switches = 0;
};

/// The whole tree at one instant: sums over the live processes, plus what has ended.
struct TreeSample {
  Instant at;
  std::uint64_t processes = 0;
  std::uint64_t resident_bytes = 0;
  std::optional<std::uint64_t>
      high_water_bytes;  ///< sum of VmHWM: exact for one process, an upper bound for more
  /// CPU of every process that ever belonged to the tree, those that ended included: live process
  /// clocks, plus reaped usage (exact where the supervisor reaped, 10 ms ticks where a parent in
  /// the tree did). Never decreases.
  Duration cpu{};
  Duration user{};
  Duration system{};
  std::uint64_t threads = 0;
  std::optional<std::uint64_t> descriptors;
  /// TCP sockets by state; absent on ticks where it was too dear to read. Those in TIME_WAIT belong
  /// to no process and are not counted.
  std::optional<std::array<std::uint32_t, kTcpStates>> sockets;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::optional<std::uint64_t> read_bytes;
  std::optional<std::uint64_t> written_bytes;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
};

/// Memory that is too dear to read on the sampling clock (smaps_rollup: milliseconds on a large
/// process).
struct MemoryMoment {
  Instant at;
  std::uint64_t resident_bytes = 0;
  std::optional<std::uint64_t> proportional_bytes;
  std::optional<std::uint64_t> private_dirty_bytes;
  std::vector<ProcessSample> processes;  ///< each process of the tree, launchers included
};

}  // namespace weighbridge::sampling
