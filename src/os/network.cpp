#include "os/network.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

namespace weighbridge::os {
namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

std::string endpoint(const std::string& host, std::uint16_t port) {
  const bool bare_v6 = host.find(':') != std::string::npos;
  return (bare_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<AddressList> resolve(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (code != 0)
    return fail(ErrorCode::system, "cannot resolve \"" + host + "\": " + ::gai_strerror(code));
  return AddressList(found, &::freeaddrinfo);
}

Fd stream_socket(int family) {
  return Fd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

bool is_loopback(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return ntohl(v4.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  }
  return address.sa_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

/// Nothing may hold a request back: not Nagle's algorithm, and on loopback, where there is no
/// congestion to control, not the pacing of BBR either, which is the default of many hosts.
void send_at_once(const Fd& socket, const sockaddr& address) {
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  constexpr std::string_view kUnpaced = "reno";  // every kernel has it
  if (is_loopback(address))
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_CONGESTION, kUnpaced.data(), kUnpaced.size());
}

void set_nonblocking(const Fd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

struct Channel {
  Fd read;
  Fd write;
};

Result<Channel> open_channel(StdioKind kind) {
  int ends[2];
  const int failed = kind == StdioKind::pipe
                         ? ::pipe2(ends, O_CLOEXEC)
                         : ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
  if (failed != 0) return std::unexpected(system_error("cannot open a channel to a child", errno));
  return Channel{Fd(ends[0]), Fd(ends[1])};
}

}  // namespace

Result<std::uint16_t> free_loopback_port() {
  // Bound without SO_REUSEADDR, so that the kernel does not offer a port still in TIME_WAIT.
  const Fd probe = stream_socket(AF_INET);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!probe.valid() ||
      ::bind(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return std::unexpected(system_error("cannot find a free port on 127.0.0.1", errno));
  return local_port(probe.get());
}

Result<Fd> listen_tcp(const std::string& address, std::uint16_t port) {
  constexpr int kBacklog = 4096;
  WB_TRY(const AddressList list, resolve(address, port, AI_PASSIVE));
  int last_errno = 0;
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    Fd listener = stream_socket(each->ai_family);
    const int on = 1;
    if (listener.valid() &&
        ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        ::bind(listener.get(), each->ai_addr, each->ai_addrlen) == 0 &&
        ::listen(listener.get(), kBacklog) == 0)
      return listener;
    last_errno = errno;
  }
  return std::unexpected(system_error("cannot listen on " + endpoint(address, port), last_errno));
}

Result<std::uint16_t> local_port(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0)
    return std::unexpected(system_error("cannot read a socket's port", errno));
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

Result<Fd> connect_tcp(const std::string& host, std::uint16_t port) {
  WB_TRY(const AddressList list, resolve(host, port, 0));
  int last_errno = 0;
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    Fd connection = stream_socket(each->ai_family);
    if (connection.valid()) {
      send_at_once(connection, *each->ai_addr);
      if (::connect(connection.get(), each->ai_addr, each->ai_addrlen) == 0 || errno == EINPROGRESS)
        return connection;
    }
    last_errno = errno;
  }
  return std::unexpected(system_error("cannot connect to " + endpoint(host, port), last_errno));
}

Result<std::vector<Address>> resolve_tcp(const std::string& host, std::uint16_t port) {
  std::vector<Address> addresses;
  const std::vector<std::string> names =
      host == "localhost" ? std::vector<std::string>{"127.0.0.1", "::1"} : std::vector{host};
  for (const std::string& name : names) {
    WB_TRY(const AddressList list, resolve(name, port, 0));
    for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
      Address& address = addresses.emplace_back();
      std::memcpy(&address.bytes, each->ai_addr, each->ai_addrlen);
      address.length = each->ai_addrlen;
    }
  }
  return addresses;
}

Result<Fd> connect_tcp(const Address& address) {
  Fd connection = stream_socket(address.bytes.ss_family);
  if (!connection.valid()) return std::unexpected(system_error("cannot open a socket", errno));
  const auto* name = reinterpret_cast<const sockaddr*>(&address.bytes);
  send_at_once(connection, *name);
  if (::connect(connection.get(), name, address.length) != 0 && errno != EINPROGRESS)
    return std::unexpected(system_error("cannot connect", errno));
  return connection;
}

int socket_error(int fd) {
  int error = 0;
  socklen_t length = sizeof error;
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

Result<StdioPair> make_stdio(StdioKind kind) {
  // A pair for each direction, as libuv makes them: closing our end is the child's end of file,
  // with no need for shutdown().
  WB_TRY(Channel to_child, open_channel(kind));
  WB_TRY(Channel from_child, open_channel(kind));
  set_nonblocking(from_child.read);
  set_nonblocking(to_child.write);
  return StdioPair{.parent_read = std::move(from_child.read),
                   .parent_write = std::move(to_child.write),
                   .child_stdin = std::move(to_child.read),
                   .child_stdout = std::move(from_child.write)};
}

}  // namespace weighbridge::os
