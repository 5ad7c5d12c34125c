#include "protocol/param_headers.h"

#include <fmt/format.h>

#include <charconv>
#include <string>

namespace weighbridge::protocol {
namespace {

Refusal mismatch(std::string message) {
  return {.code = kHeaderMismatch, .message = std::move(message), .data = {}, .http_status = 400};
}

bool says_integer(std::string_view text, std::int64_t expected) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value == expected;
}

bool agrees(const std::string& decoded, simdjson::dom::element value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return decoded == text;
  std::int64_t number = 0;
  if (value.get(number) == simdjson::SUCCESS) return says_integer(decoded, number);
  bool truth = false;
  if (value.get(truth) == simdjson::SUCCESS) return decoded == (truth ? "true" : "false");
  return false;  // other types have no form in a header
}

}  // namespace

std::optional<Refusal> check_param_headers(std::span<const ParamHeader> annotated,
                                           const simdjson::dom::object* arguments,
                                           const RequestHeaders& headers) {
  for (const auto& each : annotated) {
    simdjson::dom::element value;
    const bool given = arguments != nullptr &&
                       (*arguments)[each.param].get(value) == simdjson::SUCCESS && !value.is_null();
    const auto header = headers.find ? headers.find(each.header) : std::nullopt;
    if (!given && !header) continue;
    if (!given)
      return mismatch(fmt::format("{} is given, the argument {} is not", each.header, each.param));
    if (!header)
      return mismatch(fmt::format("the header {} is missing, it repeats the argument {}",
                                  each.header, each.param));
    const auto decoded = decode_header_value(*header);
    if (!decoded) return mismatch(fmt::format("{} is no valid base64", each.header));
    if (!agrees(*decoded, value))
      return mismatch(fmt::format("{} differs from the argument {}", each.header, each.param));
  }
  return std::nullopt;
}

}  // namespace weighbridge::protocol
