#pragma once

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <memory>

namespace weighbridge::transport::detail {

struct SslDeleter {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};
using Ssl = std::unique_ptr<SSL, SslDeleter>;

/// OpenSSL's view of a socket that stays ours. Not its own one, which writes without MSG_NOSIGNAL:
/// a server that hangs up would end the driver.
BIO* socket_bio(int socket);

}  // namespace weighbridge::transport::detail
