#include "protocol/tool.h"

#include <algorithm>
#include <array>

#include "protocol/detail/members.h"
#include "protocol/json_text.h"

namespace weighbridge::protocol {
namespace {

/// Keywords of JSON Schema by which {} may be invalid although nothing is listed as required.
/// Evaluating them would take a validator; a tool that uses them is not chosen, and the plan can
/// still name it.
constexpr std::array<std::string_view, 8> kConditional{
    "allOf", "anyOf", "oneOf", "not", "if", "$ref", "minProperties", "$dynamicRef"};

bool may_refuse_empty_object(std::string_view schema) {
  const auto members = detail::read_members(schema);
  if (!members) return true;
  for (const std::string_view keyword : kConditional)
    if (!detail::find(*members, keyword).empty()) return true;
  const auto required = detail::find(*members, "required");
  if (required.empty()) return false;
  const auto names = detail::read_elements(required);
  return !names || !names->empty();
}

}  // namespace

Result<Tool> read_tool(std::string_view json) {
  WB_TRY(const auto members, detail::read_members(json));
  auto name = unquote(detail::find(members, "name"));
  if (!name) return fail(ErrorCode::malformed, "a tool without a name: " + first_words(json, 80));
  Tool tool{.name = std::move(*name)};
  if (const auto annotations = detail::read_members(detail::find(members, "annotations")))
    tool.read_only = detail::find(*annotations, "readOnlyHint") == "true";
  const auto schema = detail::find(members, "inputSchema");
  tool.input_schema = schema;
  tool.needs_arguments = !schema.empty() && may_refuse_empty_object(schema);
  return tool;
}

std::optional<std::string> choose_tool(std::span<const std::string> items) {
  for (const std::string& item : items) {
    const auto tool = read_tool(item);
    if (tool && tool->read_only && !tool->needs_arguments) return tool->name;
  }
  return std::nullopt;
}

}  // namespace weighbridge::protocol
