#include "protocol/client_capabilities.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "protocol/detail/members.h"
#include "protocol/json_text.h"

namespace weighbridge::protocol {
namespace {

using detail::find;

constexpr std::string_view kDeclined = R"({"action":"decline"})";

}  // namespace

std::string render(const ClientCapabilities& capabilities) {
  std::vector<std::string_view> members;
  if (capabilities.elicitation) members.emplace_back(R"("elicitation":{})");
  if (capabilities.roots) members.emplace_back(R"("roots":{})");
  return fmt::format("{{{}}}", fmt::join(members, ","));
}

std::optional<std::string> answer_for(const ClientCapabilities& capabilities,
                                      std::string_view method, std::string_view params) {
  if (capabilities.elicitation && method == "elicitation/create") return elicit_defaults(params);
  if (capabilities.roots && method == "roots/list") return R"({"roots":[]})";
  return std::nullopt;
}

std::string elicit_defaults(std::string_view params) {
  const auto members = detail::read_members(params);
  if (!members) return std::string(kDeclined);
  if (const auto mode = find(*members, "mode"); !mode.empty() && mode != R"("form")")
    return std::string(kDeclined);
  const auto schema = detail::read_members(find(*members, "requestedSchema"));
  if (!schema) return std::string(kDeclined);

  std::vector<std::string> content;
  std::vector<std::string_view> filled;
  if (const auto properties = detail::read_members(find(*schema, "properties"))) {
    for (const auto& property : *properties) {
      const auto described = detail::read_members(property.value);
      const auto value = described ? find(*described, "default") : std::string_view{};
      if (value.empty()) continue;
      filled.push_back(property.key);
      content.push_back(fmt::format(R"("{}":{})", property.key, value));
    }
  }
  if (const auto required = detail::read_elements(find(*schema, "required"))) {
    const auto is_filled = [&](std::string_view name) {
      return name.size() >= 2 &&
             std::ranges::find(filled, name.substr(1, name.size() - 2)) != filled.end();
    };
    if (!std::ranges::all_of(*required, is_filled)) return std::string(kDeclined);
  }
  return fmt::format(R"({{"action":"accept","content":{{{}}}}})", fmt::join(content, ","));
}

}  // namespace weighbridge::protocol
