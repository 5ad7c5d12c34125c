#include "protocol/client_abilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace weighbridge::protocol {
namespace {

using namespace std::string_view_literals;

constexpr std::array kLevels{"debug"sv, "info"sv,     "notice"sv, "warning"sv,
                             "error"sv, "critical"sv, "alert"sv,  "emergency"sv};

}  // namespace

bool ClientAbilities::has(std::string_view name) const {
  return (name == "roots" && roots) || (name == "sampling" && sampling) ||
         (name == "elicitation" && elicitation);
}

ClientAbilities read_abilities(simdjson::dom::element capabilities) {
  simdjson::dom::object object;
  if (capabilities.get(object) != simdjson::SUCCESS) return {};
  const auto declares = [&](std::string_view name) {
    simdjson::dom::object ability;
    return object[name].get(ability) == simdjson::SUCCESS;
  };
  return {.roots = declares("roots"),
          .sampling = declares("sampling"),
          .elicitation = declares("elicitation")};
}

ClientAbilities declared_abilities(const ClientMessage& message) {
  simdjson::dom::element capabilities;
  if (message.find_meta(kMetaCapabilities, capabilities)) return read_abilities(capabilities);
  if (message.method == "initialize" && message.has_params &&
      message.params["capabilities"].get(capabilities) == simdjson::SUCCESS)
    return read_abilities(capabilities);
  return {};
}

Refusal missing_ability(std::string_view ability) {
  return {.code = kMissingCapability,
          .message = fmt::format("this needs the client capability {}", ability),
          .data = fmt::format(R"({{"requiredCapabilities":{{"{}":{{}}}}}})", ability),
          .http_status = 400};
}

std::string_view to_string(LogLevel level) {
  return kLevels.at(static_cast<std::size_t>(level));
}

std::optional<LogLevel> find_log_level(std::string_view name) {
  const auto* const found = std::ranges::find(kLevels, name);
  if (found == kLevels.end()) return std::nullopt;
  return static_cast<LogLevel>(found - kLevels.begin());
}

}  // namespace weighbridge::protocol
