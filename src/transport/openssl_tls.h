#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "transport/tls.h"

namespace weighbridge::transport {

struct TlsOptions {
  std::string ca_file = {};  ///< PEM certificates trusted besides the system's; empty: none
  bool insecure = false;     ///< accept any certificate
};

/// TLS 1.2 and 1.3 by OpenSSL, certificate and name checked. ErrorCode::plan when `ca_file` holds
/// no certificate.
Result<std::shared_ptr<const Tls>> open_tls(const TlsOptions& options);

}  // namespace weighbridge::transport
