#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "transport/url.h"

namespace weighbridge::transport {

/// An encrypted stream over a connected, non-blocking socket that stays the caller's. One thread.
class SecureStream {
 public:
  enum class Step {
    done,
    want_read,   ///< again when the socket can be read
    want_write,  ///< again when it can be written
    ended,       ///< the peer has closed its side
    failed,      ///< error() says why
  };
  virtual ~SecureStream() = default;
  /// The tunnel of a proxy, if there is one, and the handshake; again until it is done. `ended` and
  /// `failed` both come with an error().
  virtual Step open() = 0;
  /// At most `size` bytes, decrypted. More may be waiting decrypted that the poller knows nothing
  /// of: read until want_read.
  virtual Step read(char* into, std::size_t size, std::size_t& count) = 0;
  virtual Step write(std::string_view bytes, std::size_t& count) = 0;
  /// Tells the peer that nothing more will come. Does not wait.
  virtual void say_goodbye() = 0;
  /// ErrorCode::target for a certificate that was not accepted, malformed for a peer that does not
  /// speak TLS, closed for one that hung up; each with what to do.
  [[nodiscard]] virtual const Error& error() const = 0;
};

/// What encrypts. Abstract, so that this room does not need OpenSSL: openssl_tls.h has the one that
/// does the work, in a library of its own. Shared by the connections of many clients on one thread.
class Tls {
 public:
  virtual ~Tls() = default;
  /// `through_proxy`: the socket is connected to a proxy, which is asked for a tunnel first.
  [[nodiscard]] virtual std::unique_ptr<SecureStream> over(int socket, const Url& server,
                                                           bool through_proxy) const = 0;
};

/// How a server is reached, besides its URL.
struct Way {
  std::shared_ptr<const Tls> tls = {};  ///< needed for https
  std::optional<Url> proxy = {};        ///< an HTTP proxy, never taken from the environment
};

}  // namespace weighbridge::transport
