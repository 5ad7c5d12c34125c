#include "modes/scenarios.h"

#include <algorithm>

#include "base/words.h"
#include "modes/points.h"

namespace weighbridge::modes {
namespace {

void add_transport(std::vector<ScenarioSpec>& specs, const plan::Plan& plan, Transport transport,
                   int clients) {
  for (const bool telemetry : {false, true}) {
    for (const plan::Variant& variant : plan.variants) {
      if (telemetry &&
          std::ranges::find(plan.run.telemetry, variant.name) == plan.run.telemetry.end())
        continue;
      specs.push_back({scenario_id(transport, variant.name, telemetry), transport, &variant,
                       telemetry, clients});
    }
  }
}

}  // namespace

std::string_view to_string(Transport transport) {
  return transport == Transport::stdio ? "stdio" : "http";
}

std::string scenario_id(Transport transport, const std::string& variant, bool telemetry) {
  std::string id(to_string(transport));
  if (variant != "default") id += "-" + variant;
  if (telemetry) id += "-telemetry";
  return id;
}

std::vector<ScenarioSpec> scenarios_of(const plan::Plan& plan, const std::string& only) {
  std::vector<ScenarioSpec> specs;
  if (plan.stdio) add_transport(specs, plan, Transport::stdio, plan.run.stdio_clients);
  if (plan.http) add_transport(specs, plan, Transport::http, plan.run.http_clients);
  if (!only.empty())
    std::erase_if(specs, [&](const ScenarioSpec& spec) { return !matches_glob(only, spec.id); });
  return specs;
}

std::vector<std::string> scenario_ids(const plan::Plan& plan) {
  std::vector<std::string> ids;
  for (const ScenarioSpec& spec : scenarios_of(plan, {})) ids.push_back(spec.id);
  return ids;
}

bool is_attached(const plan::Plan& plan, const ScenarioSpec& spec) {
  return spec.transport == Transport::http && plan.http->command.empty();
}

bool is_sampled(const plan::Plan& plan, const ScenarioSpec& spec) {
  return !is_attached(plan, spec) || plan.http->pid.has_value();
}

sampling::Roots roots_of(const plan::Plan& plan, const ScenarioSpec& spec,
                         os::Supervisor* supervisor) {
  if (!is_attached(plan, spec)) return {supervisor, {}};
  const auto& pid = plan.http->pid;
  return {nullptr, pid ? std::vector<pid_t>{*pid} : std::vector<pid_t>{}};
}

}  // namespace weighbridge::modes
