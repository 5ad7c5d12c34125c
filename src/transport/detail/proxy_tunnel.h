#pragma once

#include <string>

#include "base/error.h"
#include "transport/tls.h"

namespace weighbridge::transport::detail {

/// Asks a proxy for a tunnel (CONNECT, RFC 9110, 9.3.6) over a socket that is connected to it.
class ProxyTunnel {
 public:
  ProxyTunnel(int socket, const Url& server);

  /// Again until it is done. `error` is set with `ended` and `failed`.
  SecureStream::Step open(Error& error);

 private:
  SecureStream::Step read_head(Error& error);
  SecureStream::Step judge(Error& error) const;

  int socket_;
  std::string server_;
  std::string request_;
  std::size_t written_ = 0;
  std::string head_;
};

}  // namespace weighbridge::transport::detail
