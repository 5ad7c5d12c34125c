#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weighbridge::reference {

/// One caller's identity: what GitLab is asked with. The token never leaves this struct except
/// towards GitLab.
struct Credential {
  enum class Kind : std::uint8_t { none, private_token, bearer };
  Kind kind = Kind::none;
  std::string token;

  /// Tells callers apart without keeping their tokens.
  [[nodiscard]] std::uint64_t digest() const;
};

/// From the headers of a request: PRIVATE-TOKEN, else a bearer token; kind none if neither came.
Credential read_credential(std::string_view private_token, std::string_view authorization);

}  // namespace weighbridge::reference
