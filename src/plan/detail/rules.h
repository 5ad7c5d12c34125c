#pragma once

#include <optional>
#include <string>

#include "plan/plan.h"

namespace weighbridge::plan::detail {

/// What a plan may not say, with the key that says it: "run.telemetry[0]". Keys, not positions, so
/// that a plan made from the command line's words is held against the same rules as a file.
struct Objection {
  std::string key;
  std::string what;
  std::string remedy;
};
using Verdict = std::optional<Objection>;

/// The first rule that the plan breaks, of all rules.
Verdict first_objection(const Plan& plan);

/// Those about [target.stdio] and [target.http].
Verdict judge_targets(const Plan& plan);
/// Those about `{words}` in braces: known, and with a value where they stand.
Verdict judge_placeholders(const Plan& plan);
/// Those about names and values that cannot travel in an environment.
Verdict judge_environment(const Environment& env, const std::string& key);

/// Those about a header of HTTP: what may be its name, and what its value must not hold.
Verdict judge_field(const std::string& name, const std::string& value, const std::string& key);

}  // namespace weighbridge::plan::detail
