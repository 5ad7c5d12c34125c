#pragma once

#include <toml++/toml.h>

#include "plan/detail/fields.h"
#include "plan/plan.h"

namespace weighbridge::plan::detail {

/// A parsed TOML document as a plan: keys and types only; whether the values make sense together is
/// for the rules.
void read_sections(const toml::table& document, Plan& plan, Problems& problems);

}  // namespace weighbridge::plan::detail
