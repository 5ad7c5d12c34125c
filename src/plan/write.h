#pragma once

#include <string>

#include "plan/plan.h"

namespace weighbridge::plan {

/// The plan as understood, with every default, as TOML that parse_plan reads back to the same plan.
/// Secret values (credentials, headers, env values with telling names) are printed as "***" if
/// `redacted`.
std::string to_toml(const Plan& plan, bool redacted);

}  // namespace weighbridge::plan
