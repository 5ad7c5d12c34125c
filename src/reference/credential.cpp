#include "reference/credential.h"

#include <functional>

#include "base/words.h"

namespace weighbridge::reference {

std::uint64_t Credential::digest() const {
  const auto hash = std::hash<std::string>{}(token);
  return hash ^ static_cast<std::uint64_t>(kind) << 62U;
}

Credential read_credential(std::string_view private_token, std::string_view authorization) {
  constexpr std::string_view kBearer = "Bearer ";
  if (!private_token.empty()) return {Credential::Kind::private_token, std::string(private_token)};
  if (authorization.size() > kBearer.size() &&
      equals_ignoring_case(authorization.substr(0, kBearer.size()), kBearer))
    return {Credential::Kind::bearer, std::string(trim(authorization.substr(kBearer.size())))};
  return {};
}

}  // namespace weighbridge::reference
