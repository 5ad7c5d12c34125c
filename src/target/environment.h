#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace weighbridge::target {

/// The environment a target starts with.
struct TargetEnvironment {
  std::vector<std::string> entries;  ///< "NAME=value", sorted by name
  std::vector<std::string>
      inherited_names;  ///< what came from the driver's own; names only, for the record
  std::vector<std::string> stripped_names;
};

/// What the driver has, minus the names the globs match, plus (and overridden by) `added`.
TargetEnvironment make_environment(const std::vector<std::string>& inherited,
                                   const std::vector<std::string>& strip_globs,
                                   const plan::Environment& added);

/// This process's own environment as "NAME=value" entries.
std::vector<std::string> own_environment();

}  // namespace weighbridge::target
