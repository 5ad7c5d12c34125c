#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "os/fd.h"
#include "sampling/proc_root.h"
#include "sampling/proc_text.h"

namespace weighbridge::sampling {

/// The TCP sockets, of both versions of IP, of the network namespace that a process lives in.
class SocketTable {
 public:
  explicit SocketTable(ProcRoot root) : root_(std::move(root)) {}

  /// nullopt: neither the kernel's dump nor the tables of /proc can be read.
  std::optional<std::vector<TcpSocket>> read(pid_t pid);
  /// Whether /proc/<pid>/net/tcp had to stand in for the dump (NETLINK_SOCK_DIAG).
  [[nodiscard]] bool used_tables() const { return used_tables_; }

 private:
  std::optional<std::vector<TcpSocket>> dump();
  [[nodiscard]] bool ask() const;
  bool receive(std::vector<TcpSocket>& sockets) const;
  std::optional<std::vector<TcpSocket>> read_tables(pid_t pid) const;
  [[nodiscard]] bool shares_our_network(pid_t pid) const;

  ProcRoot root_;
  os::Fd netlink_;
  bool used_tables_ = false;
};

}  // namespace weighbridge::sampling
