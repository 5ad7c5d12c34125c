#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "plan/plan.h"
#include "plan/write.h"

namespace weighbridge::plan {

/// Reads a TOML plan. Every refusal is ErrorCode::plan and names file, line and column, what is
/// wrong and what to write instead: unknown keys (with the nearest valid one), wrong types, values
/// out of range, unknown placeholders, references to variants that do not exist, contradictions.
Result<Plan> read_plan(const std::string& path);
/// The same from text; `path` is only named in errors and for {plan_dir}.
Result<Plan> parse_plan(std::string_view toml, const std::string& path);

/// Checks what only the whole plan can show; also called on plans made from words. The error's
/// `where` is the key that is wrong, as in "run.telemetry".
Result<void> validate(const Plan& plan);

}  // namespace weighbridge::plan
