#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "os/fd.h"

namespace weighbridge::os {

/// A TCP port of 127.0.0.1 that was free a moment ago. Another process may take it before the
/// target does; callers retry.
Result<std::uint16_t> free_loopback_port();

/// Non-blocking listener with SO_REUSEADDR, backlog 4096. Port 0 picks one; the bound port is
/// returned by local_port().
Result<Fd> listen_tcp(const std::string& address, std::uint16_t port);
Result<std::uint16_t> local_port(int fd);

/// Starts a non-blocking connect (TCP_NODELAY set, unpaced on loopback). `host` may be an IP
/// literal or a name (resolved blocking). Completion shows as EPOLLOUT; read the result with
/// socket_error().
Result<Fd> connect_tcp(const std::string& host, std::uint16_t port);
int socket_error(int fd);

/// An address that was resolved once, for callers who connect thousands of times.
struct Address {
  sockaddr_storage bytes{};
  socklen_t length = 0;
};
/// What `host` stands for, in the resolver's order; "localhost" is both loopback addresses.
Result<std::vector<Address>> resolve_tcp(const std::string& host, std::uint16_t port);
/// Starts a non-blocking connect, as above.
Result<Fd> connect_tcp(const Address& address);

/// The pair of descriptors that stand for a child's stdin and stdout, and our ends of them. Each
/// direction has its own pipe or socketpair, as the hosts make them.
struct StdioPair {
  Fd parent_read;
  Fd parent_write;  ///< closing it is the child's end of file
  Fd child_stdin;
  Fd child_stdout;
};
enum class StdioKind { socketpair, pipe };
/// Parent ends are non-blocking and close-on-exec. Node hosts give socketpairs, Python hosts pipes.
Result<StdioPair> make_stdio(StdioKind kind);

}  // namespace weighbridge::os
