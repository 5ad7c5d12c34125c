#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/era.h"
#include "protocol/server_features.h"
#include "protocol/server_message.h"
#include "protocol/server_route.h"

namespace weighbridge::protocol {

/// Who the server says it is.
struct ServerInfo {
  std::string name;
  std::string title;
  std::string version;
  std::string instructions;
};

/// How long and for whom a result may be kept (26/caching). Rendered only where the era has it.
struct CacheHint {
  std::uint64_t ttl_ms = 0;
  bool is_public = false;
};

/// Renders replies. A result is opened, filled by the caller with JSON members, and closed, so that
/// a listing of megabytes in the middle is shared and never copied.
class ReplyWriter {
 public:
  explicit ReplyWriter(const ServerInfo& info, const ServerFeatures& features = {});

  /// `{"jsonrpc":"2.0","id":7,"result":{` and, where the era wants it, `"resultType":"complete",`.
  [[nodiscard]] std::string open(std::string_view id, const Era& era,
                                 std::string_view result_type = "complete") const;
  /// What follows the members: cache hint and server info where the era has them, and the braces.
  /// `empty`: the result has no members of its own. `meta`: more members of `_meta`.
  [[nodiscard]] std::string close(const Era& era, std::optional<CacheHint> hint = {},
                                  bool empty = false, std::string_view meta = {}) const;
  [[nodiscard]] static std::string error(std::string_view id, const Refusal& refusal);

  /// The answer to initialize.
  [[nodiscard]] std::string initialized(std::string_view id, const Era& era) const;
  /// The answer to server/discover.
  [[nodiscard]] std::string discovered(std::string_view id, const Era& era) const;

 private:
  std::string info_;          // serverInfo as JSON
  std::string instructions_;  // quoted
  std::string capabilities_;  // as a member: "capabilities":{…}
};

}  // namespace weighbridge::protocol
