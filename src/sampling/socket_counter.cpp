#include "sampling/socket_counter.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <unordered_set>

#include "os/process_list.h"

namespace weighbridge::sampling {

SocketCounter::SocketCounter(ProcRoot root) : root_(root), table_(std::move(root)) {}

std::optional<SocketStates> SocketCounter::count(std::span<const pid_t> pids) {
  SocketStates states{};
  if (pids.empty()) return states;
  const auto sockets = table_.read(pids.front());
  if (!sockets || !look_for_owners(pids, *sockets)) return std::nullopt;
  for (const TcpSocket& socket : *sockets)
    if (socket.state < states.size() && ours_.at(socket.inode)) ++states[socket.state];
  return states;
}

bool SocketCounter::look_for_owners(std::span<const pid_t> pids,
                                    const std::vector<TcpSocket>& sockets) {
  std::unordered_map<std::uint64_t, bool> current;
  bool all_known = true;
  for (const TcpSocket& socket : sockets) {
    const auto known = ours_.find(socket.inode);
    all_known &= known != ours_.end();
    current[socket.inode] = known != ours_.end() && known->second;
  }
  ours_ = std::move(current);
  if (all_known) return true;

  std::string target(64, '\0');
  for (const pid_t pid : pids) {
    const std::string directory = root_.file(pid, "fd");
    if (::access(directory.c_str(), R_OK) != 0 && errno == EACCES) {
      ours_.clear();
      return false;
    }
    for (const int fd : os::numeric_entries(directory)) {
      const ssize_t length =
          ::readlink((directory + "/" + std::to_string(fd)).c_str(), target.data(), target.size());
      if (length <= 0) continue;
      const auto inode =
          parse_socket_link(std::string_view(target).substr(0, static_cast<std::size_t>(length)));
      if (!inode) continue;
      if (const auto found = ours_.find(*inode); found != ours_.end()) found->second = true;
    }
  }
  return true;
}

}  // namespace weighbridge::sampling
