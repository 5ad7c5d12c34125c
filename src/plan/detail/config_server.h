#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "plan/detail/variables.h"
#include "plan/plan.h"

namespace weighbridge::plan::detail {

/// One entry of a client's table of servers, and what reading it needs.
struct ConfigServer {
  const nlohmann::ordered_json& entry;
  std::string where;      ///< for messages
  std::string folder;     ///< what relative paths in it are relative to
  std::string directory;  ///< in which the client starts it; empty: where the client runs
  Variables& variables;
};

/// Fills in the plan's target: `command`, `args`, `env`, `envFile` and `cwd` of a server on stdio,
/// `url` and `headers` of one over HTTP. Keys that only steer a client (`disabled`, `timeout`, …)
/// are passed over. ErrorCode::plan for wrong types and for what is neither.
Result<void> read_server(const ConfigServer& server, Plan& plan);

/// Lines of NAME=value as in an `envFile`: blank lines and # comments, `export`, quotes around the
/// value. Lines without = are passed over, as clients do.
Environment parse_env_file(std::string_view text);

}  // namespace weighbridge::plan::detail
