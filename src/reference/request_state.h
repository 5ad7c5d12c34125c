#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace weighbridge::reference {

/// Signs what a server gives a client to bring back with its next request (26/mrtr, requestState),
/// and trusts nothing that comes back without that signature. The key is this process's own and
/// random: a state from before a restart is worth nothing.
class RequestState {
 public:
  static constexpr Duration kLifetime = 10min;

  /// What a state is good for: one request of one caller.
  struct Bound {
    std::string_view request;     ///< which one, such as "tools/call deploy"
    std::uint64_t principal = 0;  ///< the caller's credential, digested
  };

  RequestState();

  /// `payload` in a form that travels as a JSON string without escapes; readable, but not forgeable
  /// (HMAC-SHA256).
  [[nodiscard]] std::string seal(std::string_view payload, const Bound& bound, Instant now) const;
  /// nullopt when it was not sealed by this process for just this, or too long ago.
  [[nodiscard]] std::optional<std::string> open(std::string_view state, const Bound& bound,
                                                Instant now) const;

 private:
  using Mac = std::array<std::uint8_t, 32>;
  [[nodiscard]] Mac sign(std::string_view expiry, std::string_view payload,
                         const Bound& bound) const;
  std::array<std::uint8_t, 32> key_{};
};

}  // namespace weighbridge::reference
