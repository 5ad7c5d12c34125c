#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <optional>
#include <string>

#include "base/error.h"

namespace weighbridge::transport::detail {

struct CertificateDeleter {
  void operator()(X509* certificate) const { X509_free(certificate); }
};
/// The certificate that was not accepted; a connection that fails for it keeps none itself.
using Refused = std::unique_ptr<X509, CertificateDeleter>;

/// For SSL_CTX_set_verify: keeps the certificate in the Refused that is the app data of the SSL.
int keep_refused(int accepted, X509_STORE_CTX* verification);

/// Why a certificate was not accepted, which fault it has and what to do; absent when it was, or
/// when none came. `server` names it in the text.
std::optional<Error> why_refused(const SSL* ssl, const Refused& certificate,
                                 const std::string& server);

}  // namespace weighbridge::transport::detail
