#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The text of /proc, as proc(5) describes it, to fields. Pure: no file, no clock. Foreign bytes: a
// process chooses its own name.
namespace weighbridge::sampling {

/// /proc/<pid>/stat. Times are clock ticks (sysconf(_SC_CLK_TCK)), of the whole process.
struct StatFields {
  pid_t pid = 0;
  std::string name;  ///< as the process chose it, newlines included
  char state = '\0';
  pid_t parent = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t user_ticks = 0;
  std::uint64_t system_ticks = 0;
  std::uint64_t children_user_ticks = 0;  ///< of children that it has waited for
  std::uint64_t children_system_ticks = 0;
  std::uint64_t start_ticks = 0;  ///< since boot

  [[nodiscard]] bool is_zombie() const { return state == 'Z' || state == 'X'; }
};
std::optional<StatFields> parse_stat(std::string_view text);

/// /proc/<pid>/status. A zombie has no memory lines.
struct StatusFields {
  std::optional<std::uint64_t> resident_bytes;    ///< VmRSS
  std::optional<std::uint64_t> high_water_bytes;  ///< VmHWM
  std::uint64_t threads = 0;
  std::uint64_t voluntary_switches = 0;  ///< of the one thread that the file is about
  std::uint64_t involuntary_switches = 0;
  bool ignores_child_signal = false;  ///< SIGCHLD ignored: its children are lost unaccounted
};
std::optional<StatusFields> parse_status(std::string_view text);

/// /proc/<pid>/io: bytes through system calls, with those of children that were waited for.
struct IoFields {
  std::uint64_t read_bytes = 0;     ///< rchar
  std::uint64_t written_bytes = 0;  ///< wchar
};
std::optional<IoFields> parse_io(std::string_view text);

/// /proc/<pid>/smaps_rollup.
struct RollupFields {
  std::uint64_t resident_bytes = 0;
  std::uint64_t proportional_bytes = 0;
  std::uint64_t private_dirty_bytes = 0;
};
std::optional<RollupFields> parse_smaps_rollup(std::string_view text);

/// A TCP socket that belongs to a process. Those in TIME_WAIT and those not accepted yet belong to
/// none, have inode 0, and are left out.
struct TcpSocket {
  std::uint64_t inode = 0;
  std::uint8_t state = 0;  ///< include/net/tcp_states.h
};
/// /proc/<pid>/net/tcp and tcp6.
std::vector<TcpSocket> parse_tcp_table(std::string_view text);

/// The inode in "socket:[12345]", the target of a link in /proc/<pid>/fd.
std::optional<std::uint64_t> parse_socket_link(std::string_view target);

/// The number most recently given to a process or thread, the last word of /proc/loadavg.
std::optional<pid_t> parse_last_pid(std::string_view loadavg);

}  // namespace weighbridge::sampling
