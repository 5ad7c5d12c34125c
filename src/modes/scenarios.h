#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"

namespace weighbridge::modes {

enum class Transport { stdio, http };
std::string_view to_string(Transport transport);

/// One combination to weigh. Points into the plan.
struct ScenarioSpec {
  std::string id;
  Transport transport = Transport::stdio;
  const plan::Variant* variant = nullptr;
  bool telemetry = false;
  int clients = 0;
};

/// "http-dynamic-telemetry"; the variant that a plan without variants gets does not show.
std::string scenario_id(Transport transport, const std::string& variant, bool telemetry);

/// In order: for each transport the variants, then those with telemetry. `only`: a glob of ids,
/// empty for all.
std::vector<ScenarioSpec> scenarios_of(const plan::Plan& plan, const std::string& only);

}  // namespace weighbridge::modes
