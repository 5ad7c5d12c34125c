#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "plan/plan.h"

namespace weighbridge::plan {

/// Reads a TOML plan. Every refusal is ErrorCode::plan and names file, line and column, what is
/// wrong and what to write instead: unknown keys (with the nearest valid one), wrong types, values
/// out of range, unknown placeholders, references to variants that do not exist, contradictions.
Result<Plan> read_plan(const std::string& path);
/// The same from text; `path` is only named in errors and for {plan_dir}.
Result<Plan> parse_plan(std::string_view toml, const std::string& path);

/// Checks what only the whole plan can show; also called on plans made from words.
Result<void> validate(const Plan& plan);

/// The plan as understood, with every default, as TOML that parse_plan reads back to the same plan.
/// Secret values (credentials, headers, env values with telling names) are printed as "***" if
/// `redacted`.
std::string to_toml(const Plan& plan, bool redacted);

}  // namespace weighbridge::plan
