#include "modes/scenarios.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "modes/points.h"

namespace weighbridge::modes {
namespace {

using testing::ElementsAre;

plan::Plan two_transports() {
  plan::Plan plan;
  plan.stdio.emplace().command = {"server"};
  plan.http.emplace().command = {"server", "--port={port}"};
  plan.variants.resize(2);
  plan.variants[0].name = "dynamic";
  plan.variants[1].name = "meta";
  plan.run.telemetry = {"dynamic"};
  return plan;
}

TEST(Scenarios, AreEveryTransportAndVariantThenThoseWithTelemetry) {
  EXPECT_THAT(scenario_ids(two_transports()),
              ElementsAre("stdio-dynamic", "stdio-meta", "stdio-dynamic-telemetry", "http-dynamic",
                          "http-meta", "http-dynamic-telemetry"));
}

TEST(Scenarios, OfAPlanWithoutVariantsAreNamedByTransportAlone) {
  plan::Plan plan;
  plan.stdio.emplace().command = {"server"};
  plan.variants.resize(1);
  plan.variants[0].name = "default";
  EXPECT_THAT(scenario_ids(plan), ElementsAre("stdio"));
}

TEST(Scenarios, CanBeChosenByAGlob) {
  const plan::Plan plan = two_transports();
  const auto specs = scenarios_of(plan, "http-*");
  ASSERT_EQ(specs.size(), 3U);
  EXPECT_EQ(specs[0].id, "http-dynamic");
  EXPECT_EQ(specs[0].clients, plan.run.http_clients);
  EXPECT_TRUE(scenarios_of(plan, "nothing").empty());
}

TEST(AttachedScenario, IsWeighedByItsPidOrNotAtAll) {
  plan::Plan plan;
  plan.http.emplace();
  ScenarioSpec spec;
  spec.transport = Transport::http;
  EXPECT_TRUE(is_attached(plan, spec));
  EXPECT_FALSE(is_sampled(plan, spec));
  EXPECT_TRUE(roots_of(plan, spec, nullptr).pids.empty());
  plan.http->pid = 42;
  EXPECT_TRUE(is_sampled(plan, spec));
  EXPECT_EQ(roots_of(plan, spec, nullptr).pids, std::vector<pid_t>{42});
}

TEST(AttachedScenario, IsOnlyOneOverHttpThatNobodyStartsHere) {
  plan::Plan plan;
  plan.http.emplace().command = {"server"};
  ScenarioSpec spec;
  spec.transport = Transport::http;
  EXPECT_FALSE(is_attached(plan, spec));
  EXPECT_TRUE(is_sampled(plan, spec));
  plan.http->command.clear();
  spec.transport = Transport::stdio;
  EXPECT_FALSE(is_attached(plan, spec));
}

}  // namespace
}  // namespace weighbridge::modes
