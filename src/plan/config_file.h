#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/error.h"
#include "plan/plan.h"

namespace weighbridge::plan {

/// One server of the file in which an MCP client keeps its servers.
struct ConfigChoice {
  std::string file;
  std::string server;                         ///< empty: the only one there is
  std::map<std::string, std::string> inputs;  ///< values of VS Code's ${input:id}
  /// What ${NAME} and ${env:NAME} stand for; absent when there is no such variable.
  std::function<std::optional<std::string>(const std::string& name)> environment;
};

/// The server as that client would start or call it, with every default of a plan. Read are
/// `mcpServers` (mcp.json, .mcp.json, claude_desktop_config.json) and VS Code's `servers`
/// (.vscode/mcp.json), with comments and trailing commas. Variables are filled in as the client
/// does; the values of secret ones are in Plan::secrets. ErrorCode::plan for broken JSON (file,
/// line and column), an unknown server (the nearest named, all listed), values that are missing
/// (all of them in one error) and what no client could start.
Result<Plan> plan_from_config(const ConfigChoice& choice);

}  // namespace weighbridge::plan
