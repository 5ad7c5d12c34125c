#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/words.h"
#include "plan/plan.h"

namespace weighbridge::cli {

/// The plan that the words of `run` ask for: read from a file or made from a command or a URL, then
/// changed by every flag that was given (flags win), then validated. ErrorCode::usage for words
/// that contradict each other, ErrorCode::plan for what the plan itself gets wrong.
Result<plan::Plan> plan_from_words(const RunWords& words);

/// The plan for a server in the file of an MCP client, variables and inputs filled in; not yet
/// validated. ErrorCode::usage and ErrorCode::plan as above.
Result<plan::Plan> plan_from_config_words(const ConfigWords& words);

/// The flags given that change what a plan's own figures would be: "--quick", "--rounds".
std::vector<std::string> flags_that_differ(const RunWords& words);

}  // namespace weighbridge::cli
