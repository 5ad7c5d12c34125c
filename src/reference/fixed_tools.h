#pragma once

#include <string>
#include <string_view>

#include "reference/catalogue.h"

namespace weighbridge::reference {

constexpr std::string_view kFindAction = "gitlab_find_action";
constexpr std::string_view kExecuteAction = "gitlab_execute_action";
constexpr std::string_view kServerStatus = "gitlab_server_status";
constexpr std::string_view kNullTool = "null";

constexpr int kFindLimitDefault = 20;
constexpr int kFindLimitMax = 50;

/// The tools that stand for no single operation, as JSON.
std::string find_action_tool(const Catalogue& catalogue);
std::string_view execute_action_tool();
std::string_view server_status_tool();
std::string_view null_tool();

}  // namespace weighbridge::reference
