#include "protocol/tool_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/words.h"
#include "protocol/detail/members.h"
#include "protocol/json_text.h"

namespace weighbridge::protocol {
namespace {

using detail::find;
using detail::Members;

constexpr std::string_view kAnnotation = "x-mcp-header";
/// No schema meant for a reader is nested like this; one that is meant to hurt is read no further.
constexpr int kMaxDepth = 32;

/// Keywords whose members are named by the schema's author and are schemas themselves.
constexpr std::array<std::string_view, 5> kMapsOfSchemas{"properties", "patternProperties", "$defs",
                                                         "definitions", "dependentSchemas"};
/// Keywords that hold data: what looks like an annotation there is none.
constexpr std::array<std::string_view, 4> kData{"default", "const", "enum", "examples"};

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// RFC 9110, 5.6.2.
bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

class Walk {
 public:
  Result<void> schema(std::string_view text, std::vector<std::string> path, bool reachable,
                      int depth) {
    if (depth > kMaxDepth || text.find(kAnnotation) == std::string_view::npos) return {};
    if (text.starts_with('[')) {
      WB_TRY(const auto elements, detail::read_elements(text));
      for (const auto element : elements)
        WB_CHECK(schema(element, {}, /*reachable=*/false, depth + 1));
      return {};
    }
    if (!text.starts_with('{')) return {};
    WB_TRY(const Members members, detail::read_members(text));
    for (const auto& [key, value] : members) {
      if (key == kAnnotation) {
        WB_CHECK(annotation(value, members, path, reachable && !path.empty()));
      } else if (contains(kMapsOfSchemas, key)) {
        WB_CHECK(map_of_schemas(value, path, reachable && key == "properties", depth));
      } else if (!contains(kData, key)) {
        WB_CHECK(schema(value, {}, /*reachable=*/false, depth + 1));
      }
    }
    return {};
  }

  std::vector<ToolHeader> found;

 private:
  Result<void> map_of_schemas(std::string_view text, const std::vector<std::string>& path,
                              bool reachable, int depth) {
    const auto members = detail::read_members(text);
    if (!members) return {};
    for (const auto& [key, value] : *members) {
      auto inner = path;
      inner.push_back(unquote(fmt::format("\"{}\"", key)).value_or(std::string(key)));
      WB_CHECK(schema(value, std::move(inner), reachable, depth + 1));
    }
    return {};
  }

  Result<void> annotation(std::string_view value, const Members& schema,
                          const std::vector<std::string>& path, bool reachable) {
    const auto invalid = [&](std::string_view why) {
      return fail(ErrorCode::malformed,
                  fmt::format("x-mcp-header {} {}", first_words(value, 60), why));
    };
    const auto name = unquote(value);
    if (!name || !is_token(*name)) return invalid("is no name of a header");
    if (!reachable) return invalid("stands where properties alone do not lead");
    const auto type = find(schema, "type");
    if (type != R"("string")" && type != R"("integer")" && type != R"("boolean")")
      return invalid(fmt::format("is on the type {}, not on a string, integer or boolean",
                                 type.empty() ? "(none)" : first_words(type, 40)));
    std::string full = "Mcp-Param-" + *name;
    const auto same = [&](const ToolHeader& other) {
      return equals_ignoring_case(other.name, full);
    };
    if (std::ranges::any_of(found, same)) return invalid("is given twice");
    found.push_back({.name = std::move(full), .path = path});
    return {};
  }
};

std::string_view value_at(std::string_view object, std::span<const std::string> path) {
  for (const std::string& step : path) {
    const auto members = detail::read_members(object);
    if (!members) return {};
    object = {};
    for (const auto& member : *members)
      if (unquote(fmt::format("\"{}\"", member.key)) == step) object = member.value;
  }
  return object;
}

/// 42.0 and 4.2e1 are the integer 42, and a header says it the plain way.
std::string decimal(std::string_view number) {
  double value = 0;
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool plain = number.find_first_of(".eE") == std::string_view::npos;
  if (plain || parsed.ec != std::errc{} || std::trunc(value) != value || std::abs(value) >= 0x1p53)
    return std::string(number);
  return fmt::format("{:.0f}", value);
}

/// nullopt: no header for such a value.
std::optional<std::string> header_value(std::string_view value) {
  if (value.empty() || value == "null" || value.front() == '{' || value.front() == '[')
    return std::nullopt;
  if (value == "true" || value == "false") return std::string(value);
  if (const auto text = unquote(value)) return encode_header_value(*text);
  return decimal(value);
}

}  // namespace

Result<std::vector<ToolHeader>> read_tool_headers(std::string_view input_schema) {
  Walk walk;
  WB_CHECK(walk.schema(trim(input_schema), {}, /*reachable=*/true, 0));
  return std::move(walk.found);
}

std::vector<HeaderField> headers_of_call(std::span<const ToolHeader> headers,
                                         std::string_view arguments) {
  std::vector<HeaderField> fields;
  for (const ToolHeader& header : headers)
    if (auto value = header_value(value_at(arguments, header.path)))
      fields.push_back({header.name, std::move(*value)});
  return fields;
}

}  // namespace weighbridge::protocol
