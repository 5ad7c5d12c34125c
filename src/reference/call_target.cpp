#include "reference/call_target.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference/fixed_tools.h"

namespace weighbridge::reference {
namespace {

constexpr std::string_view kPrefix = "gitlab_";

std::unexpected<Error> wrong(std::string what) {
  return fail(ErrorCode::usage, std::move(what));
}

const Words::Entry* group_named(const Catalogue& catalogue, std::string_view tool) {
  if (!tool.starts_with(kPrefix)) return nullptr;
  return catalogue.words().find(Words::Kind::group, tool.substr(kPrefix.size()));
}

Result<void> choose_action(const Catalogue& catalogue, CallTarget& target) {
  std::string_view action;
  if (!target.has_arguments || target.arguments["action"].get(action) != simdjson::SUCCESS)
    return wrong("the required parameter action is missing");
  target.operation = catalogue.find(action);
  if (target.operation == nullptr) {
    const auto nearest = catalogue.nearest_id(action);
    return wrong(nearest.empty()
                     ? fmt::format("there is no action {}", action)
                     : fmt::format("there is no action {}; did you mean {}?", action, nearest));
  }
  for (const auto [key, value] : target.arguments)
    if (key != "action" && key != "params")
      return wrong(
          fmt::format("there is no parameter {}; parameters of the action go into params", key));
  simdjson::dom::element params;
  const bool given = target.arguments["params"].get(params) == simdjson::SUCCESS;
  target.has_arguments = given && !params.is_null();
  if (target.has_arguments && params.get(target.arguments) != simdjson::SUCCESS)
    return wrong("params must be an object");
  return {};
}

/// Whether `tool` is the name of an operation: dots are no part of tool names.
const Operation* operation_named(const Catalogue& catalogue, std::string_view tool) {
  if (!tool.starts_with(kPrefix) || tool.contains('.')) return nullptr;
  return catalogue.find(tool.substr(kPrefix.size()));
}

}  // namespace

Result<CallTarget> resolve_call(Surface surface, const Catalogue& catalogue, std::string_view name,
                                const simdjson::dom::object* arguments) {
  CallTarget target;
  target.has_arguments = arguments != nullptr;
  if (arguments != nullptr) target.arguments = *arguments;
  if (name == kNullTool) {
    target.kind = CallTarget::Kind::null;
  } else if (name == kServerStatus) {
    target.kind = CallTarget::Kind::status;
  } else if (surface == Surface::dynamic && name == kFindAction) {
    target.kind = CallTarget::Kind::find;
  } else if (surface == Surface::dynamic && name == kExecuteAction) {
    target.kind = CallTarget::Kind::operation;
    WB_CHECK(choose_action(catalogue, target));
  } else if (const auto* group = group_named(catalogue, name);
             surface == Surface::meta && group != nullptr) {
    target.kind = CallTarget::Kind::operation;
    WB_CHECK(choose_action(catalogue, target));
    const auto actual = catalogue.group_of(*target.operation);
    if (actual != group->key)
      return wrong(fmt::format("the action {} belongs to the tool {}{}", target.operation->id,
                               kPrefix, actual));
  } else if (surface == Surface::individual) {
    target.operation = operation_named(catalogue, name);
    if (target.operation != nullptr) target.kind = CallTarget::Kind::operation;
  }
  return target;
}

}  // namespace weighbridge::reference
