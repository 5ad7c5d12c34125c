// Messages read as another JSON library reads them, walked whole or from their ends only.

#include "protocol/message.h"

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "protocol/detail/members.h"
#include "protocol/json_text.h"
#include "protocol/outcome.h"

namespace {

using namespace weighbridge::protocol;
using nlohmann::json;

/// What the other library makes of an object's members; nullopt when it refuses the text, or when
/// keys repeat or are escaped, where the two differ on purpose.
std::optional<json> reference(std::string_view text) {
  bool ambiguous = false;
  std::vector<std::vector<std::string>> open;
  const auto watch = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key) {
      const auto key = parsed.get<std::string>();
      if (std::ranges::find(open.back(), key) != open.back().end()) ambiguous = true;
      open.back().push_back(key);
    }
    return true;
  };
  json parsed = json::parse(text, watch, /*allow_exceptions=*/false);
  if (parsed.is_discarded() || !parsed.is_object() || ambiguous) return std::nullopt;
  for (const auto& [key, value] : parsed.items())
    if (quote(key).size() != key.size() + 2) return std::nullopt;
  return parsed;
}

void compare(const detail::Members& members, const json& truth) {
  for (const auto& member : members) {
    // An escaped spelling of a plain key is not recognised, and that is documented.
    if (member.key.find('\\') != std::string_view::npos) return;
    const auto found = truth.find(std::string(member.key));
    if (found == truth.end()) std::abort();
    const json value = json::parse(member.value, nullptr, false);
    if (value.is_discarded() || value != *found) std::abort();
  }
  if (members.size() != truth.size()) std::abort();
}

/// The input with a long string in its middle, so that only its ends are read.
std::string stretched(std::string_view text) {
  const std::size_t middle = text.find('~');
  if (middle == std::string_view::npos) return {};
  return std::string(text.substr(0, middle)) + std::string(70'000, 'x') +
         std::string(text.substr(middle + 1));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Envelope envelope = read_message(text);
  (void)split_batch(text);
  (void)judge({.http_status = 200, .message = text, .expected_id = "1", .tool_call = true}, {}, {});
  if (const auto truth = reference(text)) {
    const auto members = detail::read_members(text);
    if (!members) std::abort();
    compare(*members, *truth);
  } else if (envelope.kind == Envelope::Kind::response && envelope.id.empty()) {
    std::abort();
  }
  if (const std::string longer = stretched(text); !longer.empty()) {
    (void)read_message(longer);
    const auto truth = reference(longer);
    const auto members = detail::read_edge_members(longer);
    if (truth && members) compare(*members, *truth);
  }
  return 0;
}
