#pragma once

#include "base/error.h"
#include "cli/surroundings.h"
#include "cli/words.h"

namespace weighbridge::cli {

/// Prints the plan as understood, with every default and without secrets; with --check one line
/// that says what it asks for.
Result<void> plan_command(const PlanWords& words, Surroundings& world);

}  // namespace weighbridge::cli
