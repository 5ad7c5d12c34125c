#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace weighbridge::transport {

struct Header {
  std::string name;
  std::string value;
};
using Headers = std::vector<Header>;

/// The first value of a header, names compared without case.
std::optional<std::string_view> find_header(const Headers& headers, std::string_view name);

/// The bytes of one HTTP/1.1 request, ready for a single send: request line, Host, the given
/// headers, Content-Length when there is a body. `host` is sent verbatim ("127.0.0.1:8080"), unless
/// a header Host is given.
std::string render_request(std::string_view method, std::string_view target, std::string_view host,
                           const Headers& headers, std::string_view body);

/// Instants of one exchange, all on the one monotonic clock.
struct ExchangeTimes {
  Instant sent{};        ///< just before the first byte was handed to the kernel
  Instant first_byte{};  ///< first byte of the reply read
  Instant done{};        ///< last byte of the reply read
};

}  // namespace weighbridge::transport
