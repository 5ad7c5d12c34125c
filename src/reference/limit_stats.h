#pragma once

#include <cstdint>
#include <string>

namespace weighbridge::reference {

/// What the limits have done.
struct LimitStats {
  std::uint64_t pool_capacity = 0;
  std::uint64_t pool_entries = 0;
  std::uint64_t pool_built = 0;
  std::uint64_t pool_evicted = 0;  ///< for want of room
  std::uint64_t pool_expired = 0;  ///< not used for too long

  std::uint64_t held_ceiling = 0;
  std::uint64_t session_ceiling = 0;
  std::uint64_t most_held = 0;  ///< calls that waited for GitLab at once

  std::uint64_t rate_limited = 0;
  std::uint64_t busy = 0;          ///< refused because too much was going on
  std::uint64_t unauthorized = 0;  ///< refused because GitLab does not know the credential
  std::uint64_t probes = 0;        ///< requests to GitLab about credentials
  std::uint64_t most_probes = 0;   ///< credentials asked about at once

  /// A JSON object.
  [[nodiscard]] std::string render() const;
};

}  // namespace weighbridge::reference
