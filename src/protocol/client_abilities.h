#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/server_message.h"
#include "protocol/server_route.h"

namespace weighbridge::protocol {

/// What a client can be asked for. A server must not ask for anything else.
struct ClientAbilities {
  bool roots = false;
  bool sampling = false;
  bool elicitation = false;

  /// By its name among the client's capabilities.
  [[nodiscard]] bool has(std::string_view name) const;
};

/// From a capabilities object; what is no object declares nothing.
ClientAbilities read_abilities(simdjson::dom::element capabilities);
/// What a request declares: `_meta` of a stateless one, `params.capabilities` of initialize.
ClientAbilities declared_abilities(const ClientMessage& message);

/// The error for a request that cannot be served without asking the client for `ability`.
Refusal missing_ability(std::string_view ability);

/// RFC 5424 severities as MCP names them, least severe first.
enum class LogLevel : std::uint8_t {
  debug,
  info,
  notice,
  warning,
  error,
  critical,
  alert,
  emergency
};
std::string_view to_string(LogLevel level);
std::optional<LogLevel> find_log_level(std::string_view name);

}  // namespace weighbridge::protocol
