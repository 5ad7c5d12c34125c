#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "sampling/proc_root.h"
#include "sampling/socket_table.h"
#include "sampling/tree_sample.h"

namespace weighbridge::sampling {

using SocketStates = std::array<std::uint32_t, kTcpStates>;

/// Counts the TCP sockets of a set of processes by state. The kernel's table does not say whose a
/// socket is, so its inode is looked for among the descriptors of the processes; as that costs a
/// readlink per descriptor, each inode is looked for once.
class SocketCounter {
 public:
  explicit SocketCounter(ProcRoot root);

  /// nullopt: no table, or the descriptors of a process may not be listed.
  std::optional<SocketStates> count(std::span<const pid_t> pids);
  [[nodiscard]] bool used_tables() const { return table_.used_tables(); }

 private:
  bool look_for_owners(std::span<const pid_t> pids, const std::vector<TcpSocket>& sockets);

  ProcRoot root_;
  SocketTable table_;
  std::unordered_map<std::uint64_t, bool> ours_;  // by inode, of those in the last table
};

}  // namespace weighbridge::sampling
