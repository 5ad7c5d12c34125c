#include "reference/weight_stats.h"

#include <gtest/gtest.h>

#include "support.h"

namespace weighbridge::reference {
namespace {

using nlohmann::json;

json rendered(const WeightStats& stats) {
  return json::parse(stats.render());
}

TEST(WeightStats, ListDelaysOnlyWhenTheyAreToBeKept) {
  WeightStats stats;
  stats.delay_made(10ms, 11ms, true);
  stats.delay_made(10ms, 12ms, false);
  const auto delay = rendered(stats)["delay"];
  EXPECT_EQ(delay["count"], 2);
  EXPECT_EQ(delay["asked_ns"], 20'000'000);
  EXPECT_EQ(delay["made_ns"], 23'000'000);
  EXPECT_EQ(delay["values_ns"], json::array({11'000'000}));
}

TEST(WeightStats, TellPercentilesOfTheDelaysByNearestRank) {
  WeightStats stats;
  for (int i = 200; i > 0; --i) stats.delay_made(1ms, Duration(i), true);
  const auto delay = rendered(stats)["delay"];
  EXPECT_EQ(delay["p50_ns"], 100);
  EXPECT_EQ(delay["p90_ns"], 180);
  EXPECT_EQ(delay["p99_ns"], 198);
  EXPECT_EQ(delay["max_ns"], 200);
  EXPECT_FALSE(rendered(WeightStats{})["delay"].contains("p50_ns"));
}

TEST(WeightStats, TellEveryFreezeAsItWas) {
  WeightStats stats;
  stats.freezes.push_back({1s, 250ms});
  stats.freezes.push_back({5s, 251ms});
  const auto freeze = rendered(stats)["freeze"];
  EXPECT_EQ(freeze["count"], 2);
  EXPECT_EQ(freeze["frozen_ns"], 501'000'000);
  EXPECT_EQ(freeze["freezes"][1]["after_start_ns"], 5'000'000'000);
}

TEST(WeightStats, TellWhatIsHeldNowAndTheMostThatWas) {
  WeightStats stats;
  stats.hold(Holder::session, 4096);
  stats.hold(Holder::peak, 8192);
  stats.release(Holder::peak, 8192);
  stats.hold(Holder::session, 4096);
  const auto memory = rendered(stats)["memory"];
  EXPECT_EQ(memory["held_bytes"], 8192);
  EXPECT_EQ(memory["most_held_bytes"], 12288);
  EXPECT_EQ(memory["session"], json::parse(R"({"taken":2,"bytes":8192})"));
  EXPECT_EQ(memory["peak"], json::parse(R"({"taken":1,"bytes":0})"));
}

TEST(Holding, RemembersTheMostAtOnce) {
  Holding holding;
  holding.take(3);
  holding.give_back(2);
  holding.take(1);
  EXPECT_EQ(holding.taken, 4U);
  EXPECT_EQ(holding.held, 2U);
  EXPECT_EQ(holding.most, 3U);
}

}  // namespace
}  // namespace weighbridge::reference
