#include "sampling/socket_table.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
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
  if (netlink_.valid() && dump_family(AF_INET, sockets)) {
    dump_family(AF_INET6, sockets);  // a kernel without IPv6 has none
    return sockets;
  }
  netlink_.reset();
  return std::nullopt;
}

bool SocketTable::dump_family(int family, std::vector<TcpSocket>& sockets) {
  struct {
    nlmsghdr header;
    inet_diag_req_v2 body;
  } request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.body.sdiag_family = static_cast<__u8>(family);
  request.body.sdiag_protocol = IPPROTO_TCP;
  request.body.idiag_states = ~0U;
  if (::send(netlink_.get(), &request, sizeof request, 0) < 0) return false;

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
