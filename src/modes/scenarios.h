#pragma once

#include <string>
#include <vector>

#include "os/supervisor.h"
#include "plan/plan.h"
#include "sampling/sampler.h"

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

/// The server ran before Weighbridge came.
bool is_attached(const plan::Plan& plan, const ScenarioSpec& spec);
/// False only for an attached server without a pid: then there is nothing to weigh, and no figure
/// is made.
bool is_sampled(const plan::Plan& plan, const ScenarioSpec& spec);
/// Whose processes are weighed: the supervisor's, or those below an attached server's pid.
sampling::Roots roots_of(const plan::Plan& plan, const ScenarioSpec& spec,
                         os::Supervisor* supervisor);

}  // namespace weighbridge::modes
