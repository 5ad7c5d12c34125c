#include "cli/plan_command.h"

#include <fmt/format.h>

#include <ostream>

#include "plan/read.h"
#include "plan/write.h"

namespace weighbridge::cli {

Result<void> plan_command(const PlanWords& words, Surroundings& world) {
  WB_TRY(const plan::Plan plan, plan::read_plan(words.plan));
  if (!words.check) {
    world.out << plan::to_toml(plan, /*redacted=*/true);
    return {};
  }
  const std::vector<std::string> ids = world.scenario_ids(plan);
  world.out << fmt::format("{} is sound. It asks for {} scenario{}, {} time{} each: {}\n",
                           words.plan, ids.size(), ids.size() == 1 ? "" : "s", plan.run.repeat,
                           plan.run.repeat == 1 ? "" : "s", fmt::join(ids, ", "));
  return {};
}

}  // namespace weighbridge::cli
