#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace weighbridge::transport {

struct Url {
  std::string scheme;  ///< "http" or "https"
  std::string host;    ///< without brackets
  std::uint16_t port = 0;
  std::string target;  ///< path and query, at least "/"

  /// host:port as a Host header carries it (port left out when it is the scheme's default, IPv6
  /// bracketed).
  [[nodiscard]] std::string authority() const;
};

/// ErrorCode::usage with the reason when the text is no http(s) URL.
Result<Url> parse_url(std::string_view text);
/// `reference` may be absolute, absolute-path or relative (RFC 3986, 5.2, without fragments).
Result<Url> resolve(const Url& base, std::string_view reference);

}  // namespace weighbridge::transport
