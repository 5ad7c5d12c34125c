#include "transport/detail/proxy_tunnel.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>

namespace weighbridge::transport::detail {
namespace {

using Step = SecureStream::Step;

constexpr std::size_t kMaxHead = 16 * 1024;
constexpr std::string_view kEnd = "\r\n\r\n";

}  // namespace

ProxyTunnel::ProxyTunnel(int socket, const Url& server) : socket_(socket) {
  const bool v6 = server.host.find(':') != std::string::npos;
  server_ = fmt::format("{}{}{}:{}", v6 ? "[" : "", server.host, v6 ? "]" : "", server.port);
  request_ = fmt::format("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n\r\n", server_);
}

Step ProxyTunnel::open(Error& error) {
  while (written_ < request_.size()) {
    const std::string_view rest = std::string_view(request_).substr(written_);
    const ssize_t count = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EAGAIN) return Step::want_write;
    if (count < 0) {
      error = system_error("cannot ask the proxy for a tunnel", errno);
      return Step::failed;
    }
    written_ += static_cast<std::size_t>(count);
  }
  return read_head(error);
}

/// Looks first and takes then, because what follows the head belongs to TLS.
Step ProxyTunnel::read_head(Error& error) {
  while (head_.size() < kMaxHead) {
    char piece[1024];
    const ssize_t seen = ::recv(socket_, piece, sizeof piece, MSG_PEEK);
    if (seen < 0 && (errno == EAGAIN || errno == EINTR)) return Step::want_read;
    if (seen <= 0) {
      error = {
          ErrorCode::closed,
          fmt::format("the proxy closed the connection instead of opening a tunnel to {}", server_),
          {},
          "Check that it allows CONNECT",
          0};
      return Step::ended;
    }
    const std::size_t before = head_.size();
    head_.append(piece, static_cast<std::size_t>(seen));
    const std::size_t end = head_.find(kEnd);
    if (end != std::string::npos) head_.resize(end + kEnd.size());
    (void)::recv(socket_, piece, head_.size() - before, 0);
    if (end != std::string::npos) return judge(error);
  }
  error = {ErrorCode::malformed,
           "the proxy's answer to CONNECT has no end",
           {},
           "Check that it is an HTTP proxy",
           0};
  return Step::failed;
}

Step ProxyTunnel::judge(Error& error) const {
  const std::string line = head_.substr(0, head_.find("\r\n"));
  const std::string status = line.substr(line.find(' ') + 1);
  if (line.starts_with("HTTP/1.") && status.starts_with('2')) return Step::done;
  error = {ErrorCode::target,
           fmt::format("the proxy refused a tunnel to {}: {}", server_, line.substr(0, 200)),
           {},
           "Ask whoever runs the proxy, or leave it out",
           0};
  return Step::failed;
}

}  // namespace weighbridge::transport::detail
