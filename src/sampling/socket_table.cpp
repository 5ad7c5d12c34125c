#include "sampling/socket_table.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>

#include "os/read_file.h"

namespace weighbridge::sampling {

std::optional<std::vector<TcpSocket>> SocketTable::read(pid_t pid) {
  if (root_.live && shares_our_network(pid))
    if (auto sockets = dump()) return sockets;
  used_tables_ = true;
  return read_tables(pid);
}

// A target in a container of its own has sockets that a dump of ours does not show.
bool SocketTable::shares_our_network(pid_t pid) const {
  struct stat ours{};
  struct stat theirs{};
  return ::stat("/proc/self/ns/net", &ours) == 0 &&
         ::stat(root_.file(pid, "ns/net").c_str(), &theirs) == 0 && ours.st_ino == theirs.st_ino;
}

std::optional<std::vector<TcpSocket>> SocketTable::dump() {
  if (!netlink_.valid())
    netlink_ = os::Fd(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  std::vector<TcpSocket> sockets;
  if (netlink_.valid() && ask() && receive(sockets)) return sockets;
  netlink_.reset();  // with whatever is left of an answer
  return std::nullopt;
}

// The older form of the request, because it alone asks for both versions of IP at once. The kernel
// goes through its whole hash table for each request, half a millisecond on a large machine.
bool SocketTable::ask() const {
  struct {
    nlmsghdr header;
    inet_diag_req body;
  } request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = TCPDIAG_GETSOCK;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.body.idiag_states = ~0U;
  return ::send(netlink_.get(), &request, sizeof request, 0) == sizeof request;
}

bool SocketTable::receive(std::vector<TcpSocket>& sockets) const {
  alignas(nlmsghdr) std::array<char, 32 * 1024> buffer;
  for (;;) {
    const ssize_t received = ::recv(netlink_.get(), buffer.data(), buffer.size(), 0);
    if (received <= 0) return false;
    auto left = static_cast<unsigned>(received);
    for (auto* header = reinterpret_cast<nlmsghdr*>(buffer.data()); NLMSG_OK(header, left);
         header = NLMSG_NEXT(header, left)) {
      if (header->nlmsg_type == NLMSG_DONE) return true;
      if (header->nlmsg_type == NLMSG_ERROR) return false;
      const auto* const socket = static_cast<const inet_diag_msg*>(NLMSG_DATA(header));
      if (socket->idiag_inode != 0)
        sockets.push_back({.inode = socket->idiag_inode, .state = socket->idiag_state});
    }
  }
}

std::optional<std::vector<TcpSocket>> SocketTable::read_tables(pid_t pid) const {
  constexpr std::size_t kLimit = 64 << 20;
  const auto version4 = os::read_file(root_.file(pid, "net/tcp"), kLimit);
  if (!version4) return std::nullopt;
  auto sockets = parse_tcp_table(*version4);
  if (const auto version6 = os::read_file(root_.file(pid, "net/tcp6"), kLimit))
    for (const TcpSocket& socket : parse_tcp_table(*version6)) sockets.push_back(socket);
  return sockets;
}

}  // namespace weighbridge::sampling
