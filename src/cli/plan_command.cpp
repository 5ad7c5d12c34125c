#include "cli/plan_command.h"

#include <fmt/format.h>

#include <ostream>

#include "cli/plan_from_words.h"
#include "plan/read.h"
#include "plan/write.h"

namespace weighbridge::cli {
namespace {

Result<plan::Plan> plan_of(const PlanWords& words) {
  const bool file = !words.plan.empty();
  if (file == !words.config.file.empty())
    return fail(
        ErrorCode::usage, file ? "both a plan and --config name a server" : "no plan was named", {},
        file ? "Name it once" : "Name a plan file, or a server with --config FILE --server NAME");
  if (file) return plan::read_plan(words.plan);
  WB_TRY(plan::Plan plan, plan_from_config_words(words.config));
  WB_CHECK(plan::validate(plan));
  return plan;
}

}  // namespace

Result<void> plan_command(const PlanWords& words, Surroundings& world) {
  WB_TRY(const plan::Plan plan, plan_of(words));
  if (!words.check) {
    world.out << plan::to_toml(plan, /*redacted=*/true);
    return {};
  }
  const std::vector<std::string> ids = world.scenario_ids(plan);
  world.out << fmt::format("{} is sound. It asks for {} scenario{}, {} time{} each: {}\n",
                           words.plan.empty() ? words.config.file : words.plan, ids.size(),
                           ids.size() == 1 ? "" : "s", plan.run.repeat,
                           plan.run.repeat == 1 ? "" : "s", fmt::join(ids, ", "));
  return {};
}

}  // namespace weighbridge::cli
