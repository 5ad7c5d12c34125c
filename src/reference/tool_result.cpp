#include "reference/tool_result.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <array>
#include <charconv>
#include <optional>

#include "protocol/server_base64.h"
#include "protocol/server_json.h"

namespace weighbridge::reference {
namespace {

using protocol::append_quoted;
using transport::find_header;

/// `body` without white space if it is JSON, checked whole: it is copied into our own reply, where
/// one stray byte would break the reply's framing.
std::optional<std::string> compact_json(const std::string& body) {
  if (body.empty()) return std::nullopt;
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.parse(body).get(root) != simdjson::SUCCESS) return std::nullopt;
  std::string compact(body.size() + simdjson::SIMDJSON_PADDING, '\0');
  std::size_t size = 0;
  if (simdjson::minify(body.data(), body.size(), compact.data(), size) != simdjson::SUCCESS)
    return std::nullopt;
  compact.resize(size);
  return compact;
}

bool is_text(const std::string& body) {
  return body.find('\0') == std::string::npos && simdjson::validate_utf8(body.data(), body.size());
}

std::optional<long> number_in(const transport::Headers& headers, std::string_view name) {
  const auto value = find_header(headers, name);
  long number = 0;
  if (!value) return std::nullopt;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (error != std::errc{} || end != value->data() + value->size()) return std::nullopt;
  return number;
}

struct NumberHeader {
  std::string_view member;
  std::string_view header;
};

/// `,"name":{"a":1,…}` from those of the headers that came; nothing when none did.
void append_numbers(std::string& out, std::string_view name, std::span<const NumberHeader> numbers,
                    const transport::Headers& headers) {
  bool first = true;
  for (const auto& [member, header] : numbers) {
    const auto number = number_in(headers, header);
    if (!number) continue;
    if (first) out += fmt::format(",\"{}\":{{", name);
    out += fmt::format("{}\"{}\":{}", first ? "" : ",", member, *number);
    first = false;
  }
  if (!first) out += '}';
}

void append_circumstances(std::string& out, const UpstreamAnswer& answer) {
  constexpr std::array kPages{
      NumberHeader{"page", "X-Page"}, NumberHeader{"per_page", "X-Per-Page"},
      NumberHeader{"next_page", "X-Next-Page"}, NumberHeader{"total", "X-Total"},
      NumberHeader{"total_pages", "X-Total-Pages"}};
  constexpr std::array kLimits{NumberHeader{"limit", "RateLimit-Limit"},
                               NumberHeader{"remaining", "RateLimit-Remaining"},
                               NumberHeader{"reset", "RateLimit-Reset"}};
  append_numbers(out, "pagination", kPages, answer.headers);
  append_numbers(out, "rate_limit", kLimits, answer.headers);
  if (const auto id = find_header(answer.headers, "X-Request-Id")) {
    out += R"(,"request_id":)";
    append_quoted(out, *id);
  }
}

/// What GitLab says in an error: a text, or an object of texts by field.
std::string message_of(const UpstreamAnswer& answer) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.parse(answer.body).get(root) == simdjson::SUCCESS) {
    for (const auto* name : {"message", "error_description", "error"}) {
      simdjson::dom::element found;
      std::string_view text;
      if (root[name].get(found) != simdjson::SUCCESS) continue;
      return found.get(text) == simdjson::SUCCESS ? std::string(text) : simdjson::minify(found);
    }
  }
  constexpr std::size_t kMostWords = 300;
  return is_text(answer.body) ? answer.body.substr(0, kMostWords) : "no readable message";
}

ToolResult render_refusal(const UpstreamAnswer& answer) {
  const auto message = message_of(answer);
  ToolResult result{.members = R"("isError":true,"content":[{"type":"text","text":)",
                    .is_error = true};
  append_quoted(result.members, fmt::format("GitLab answered {}: {}", answer.status, message));
  result.members +=
      fmt::format(R"(}}],"structuredContent":{{"status":{},"message":)", answer.status);
  append_quoted(result.members, message);
  append_circumstances(result.members, answer);
  result.members += '}';
  return result;
}

}  // namespace

ToolResult render_answer(const UpstreamAnswer& answer, Shape shape) {
  if (answer.status >= 400) return render_refusal(answer);
  // A file that happens to be JSON is still a file.
  const auto json = shape == Shape::content ? std::nullopt : compact_json(answer.body);
  std::string structured = fmt::format("{{\"status\":{}", answer.status);
  std::string text;
  if (json) {
    structured.append(R"(,"data":)").append(*json);
    text = *json;
  } else if (answer.body.empty()) {
    text = fmt::format("Done: GitLab answered {}.", answer.status);
  } else {
    const auto type = find_header(answer.headers, "Content-Type").value_or("unknown");
    structured += R"(,"content_type":)";
    append_quoted(structured, type);
    const bool readable = is_text(answer.body);
    structured += readable ? R"(,"text":)" : R"(,"base64":)";
    append_quoted(structured, readable ? answer.body : protocol::encode_base64(answer.body));
    text = readable ? answer.body
                    : fmt::format("{} bytes of {}; see base64 in the structured content.",
                                  answer.body.size(), type);
  }
  append_circumstances(structured, answer);
  structured += '}';
  return render_text(text, structured);
}

ToolResult render_problem(std::string_view what) {
  ToolResult result{.members = R"("isError":true,"content":[{"type":"text","text":)",
                    .is_error = true};
  append_quoted(result.members, what);
  result.members += "}]";
  return result;
}

ToolResult render_text(std::string_view text, std::string_view structured) {
  ToolResult result;
  result.members.reserve(text.size() + structured.size() + 100);
  result.members += R"("content":[{"type":"text","text":)";
  append_quoted(result.members, text);
  result.members += "}]";
  if (!structured.empty()) result.members.append(R"(,"structuredContent":)").append(structured);
  return result;
}

}  // namespace weighbridge::reference
