#include "protocol/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/words.h"
#include "protocol/detail/members.h"
#include "protocol/json_text.h"

namespace weighbridge::protocol {
namespace {

using detail::find;
using detail::Members;

Envelope malformed(std::string trouble) {
  Envelope envelope;
  envelope.trouble = std::move(trouble);
  return envelope;
}

/// A string or a number is all an id can be; `null` stands where a server could not read ours.
bool is_id(std::string_view raw) {
  if (raw.empty() || raw == "null" || raw.front() == '"') return true;
  const auto digits = raw.substr(raw.front() == '-' ? 1 : 0);
  return !digits.empty() && std::ranges::all_of(digits, [](char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
  });
}

Envelope read_error(Envelope envelope, std::string_view raw) {
  const auto members = detail::read_members(raw);
  if (!members) return malformed("\"error\" is not an object");
  const auto code = find(*members, "code");
  const auto parsed = std::from_chars(code.data(), code.data() + code.size(), envelope.error_code);
  if (parsed.ec != std::errc{}) return malformed("\"error\" has no number as its code");
  envelope.kind = Envelope::Kind::error;
  envelope.error_message = unquote(find(*members, "message")).value_or("");
  envelope.error_data = find(*members, "data");
  return envelope;
}

Envelope to_envelope(const Members& members) {
  if (find(members, "jsonrpc") != R"("2.0")") return malformed("no \"jsonrpc\":\"2.0\" in it");
  Envelope envelope;
  envelope.id = find(members, "id");
  if (!is_id(envelope.id)) return malformed("its id is neither a string nor a number");
  if (const auto method = find(members, "method"); !method.empty()) {
    const auto text = unquote(method);
    if (!text) return malformed("its method is not a string");
    envelope.kind = envelope.id.empty() ? Envelope::Kind::notification : Envelope::Kind::request;
    envelope.method = *text;
    envelope.params = find(members, "params");
    return envelope;
  }
  // A null error beside a result is how some JSON-RPC libraries spell "no error".
  if (const auto error = find(members, "error"); !error.empty() && error != "null")
    return read_error(std::move(envelope), error);
  envelope.result = find(members, "result");
  if (envelope.result.empty()) return malformed("neither method nor result nor error in it");
  if (envelope.id.empty()) return malformed("a result without an id");
  envelope.kind = Envelope::Kind::response;
  return envelope;
}

}  // namespace

std::string render_request(std::uint64_t id, std::string_view method, std::string_view params) {
  if (params.empty())
    return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":{}}})", id, quote(method));
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":{},"params":{}}})", id, quote(method),
                     params);
}

std::string render_notification(std::string_view method, std::string_view params) {
  if (params.empty()) return fmt::format(R"({{"jsonrpc":"2.0","method":{}}})", quote(method));
  return fmt::format(R"({{"jsonrpc":"2.0","method":{},"params":{}}})", quote(method), params);
}

std::string render_result(std::string_view id, std::string_view result) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", id, result);
}

std::string render_error(std::string_view id, std::int64_t code, std::string_view message,
                         std::string_view data) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{{"code":{},"message":{}{}{}}}}})", id,
                     code, quote(message), data.empty() ? "" : R"(,"data":)", data);
}

Envelope read_message(std::string_view text) {
  if (text.size() > detail::kWholeWalkLimit) {
    if (const auto members = detail::read_edge_members(text)) {
      Envelope envelope = to_envelope(*members);
      if (envelope.kind != Envelope::Kind::malformed) return envelope;
    }
  }
  const auto trimmed = trim(text);
  if (trimmed.empty()) return malformed("empty");
  if (trimmed.front() == '[') {
    Envelope envelope;
    envelope.kind = Envelope::Kind::batch;
    return envelope;
  }
  const auto members = detail::read_members(text);
  if (!members) return malformed(members.error().what);
  return to_envelope(*members);
}

Result<std::vector<std::string_view>> split_batch(std::string_view text) {
  return detail::read_elements(text);
}

}  // namespace weighbridge::protocol
