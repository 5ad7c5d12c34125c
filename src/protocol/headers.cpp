#include "protocol/headers.h"

#include <algorithm>
#include <cstdint>

namespace weighbridge::protocol {
namespace {

constexpr std::string_view kSentinelBegin = "=?base64?";
constexpr std::string_view kSentinelEnd = "?=";

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8 | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      out += j <= count ? kDigits[group >> (18 - 6 * j) & 63U] : '=';
  }
  return out;
}

bool is_safe(std::string_view value) {
  if (value.empty()) return true;
  if (value.front() == ' ' || value.back() == ' ') return false;
  if (value.starts_with(kSentinelBegin) && value.ends_with(kSentinelEnd)) return false;
  return std::ranges::all_of(value, [](char c) { return c >= 0x20 && c < 0x7f; });
}

void add_version_and_session(std::vector<HeaderField>& headers, const Era& era,
                             std::string_view session_id) {
  if (era.version_header) headers.push_back({"MCP-Protocol-Version", std::string(era.name)});
  if (era.sessions && !session_id.empty())
    headers.push_back({"Mcp-Session-Id", std::string(session_id)});
}

}  // namespace

std::vector<HeaderField> post_headers(const Era& era, const HeaderFacts& facts) {
  std::vector<HeaderField> headers{{"Content-Type", "application/json"},
                                   {"Accept", "application/json, text/event-stream"}};
  if (facts.method == "initialize" && era.handshake) return headers;
  add_version_and_session(headers, era, facts.session_id);
  if (!era.method_headers || facts.method.empty()) return headers;
  headers.push_back({"Mcp-Method", std::string(facts.method)});
  if (!facts.name.empty()) headers.push_back({"Mcp-Name", encode_header_value(facts.name)});
  headers.insert(headers.end(), facts.params.begin(), facts.params.end());
  return headers;
}

std::vector<HeaderField> delete_headers(const Era& era, std::string_view session_id) {
  std::vector<HeaderField> headers;
  add_version_and_session(headers, era, session_id);
  return headers;
}

std::vector<HeaderField> stream_headers(const Era& era, std::string_view session_id,
                                        std::string_view last_event_id) {
  std::vector<HeaderField> headers{{"Accept", "text/event-stream"}};
  add_version_and_session(headers, era, session_id);
  if (!last_event_id.empty()) headers.push_back({"Last-Event-ID", std::string(last_event_id)});
  return headers;
}

std::string encode_header_value(std::string_view value) {
  if (is_safe(value)) return std::string(value);
  return std::string(kSentinelBegin) + base64(value) + std::string(kSentinelEnd);
}

}  // namespace weighbridge::protocol
