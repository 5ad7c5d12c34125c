#include "modes/known_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "modes/calibration.h"

namespace weighbridge::modes {
namespace {

Instant at(int milliseconds) {
  return Instant(std::chrono::milliseconds(milliseconds));
}

TEST(FrozenLatencies, LastFromTheDueInstantToTheEndOfTheFreeze) {
  const std::vector<StandStill> freezes{{at(100), at(200)}, {at(600), at(720)}};
  EXPECT_EQ(frozen_latencies_ms(
                {at(0), at(99), at(100), at(150), at(199), at(200), at(700), at(900)}, freezes, 0),
            (std::vector<double>{0, 0, 100, 50, 1, 0, 20, 0}));
}

TEST(FrozenLatencies, CountAFreezeThatBeginsBeforeTheCallCouldBeServed) {
  EXPECT_EQ(frozen_latencies_ms({at(96), at(98), at(100)}, {{at(100), at(200)}}, 2),
            (std::vector<double>{0, 102, 100}));
}

TEST(FrozenLatencies, AreZeroWithoutFreezes) {
  EXPECT_EQ(frozen_latencies_ms({at(0), at(5)}, {}, 1), (std::vector<double>{0, 0}));
}

TEST(PercentileOf, IsANearestRankOfValuesInAnyOrder) {
  std::vector<double> values;
  for (int i = 100; i > 0; --i) values.push_back(i);
  EXPECT_DOUBLE_EQ(percentile_of(values, 0.5), 50);
  EXPECT_DOUBLE_EQ(percentile_of(values, 0.99), 99);
  EXPECT_DOUBLE_EQ(percentile_of(values, 1), 100);
  EXPECT_DOUBLE_EQ(percentile_of({}, 0.5), 0);
}

TEST(KnownWeights, HaveNamesOfTheirOwnBoundsAndNullsFirst) {
  const std::vector<std::string> ids = known_weight_ids();
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), ids.size());
  EXPECT_TRUE(ids.front().starts_with("null-"));
  EXPECT_TRUE(std::ranges::is_partitioned(
      ids, [](const std::string& id) { return id.starts_with("null-"); }));
  for (const Experiment& experiment : known_weights())
    for (const WeightSpec& weight : experiment.weights)
      EXPECT_TRUE(weight.bound || weight.bound_percent) << weight.id;
}

}  // namespace
}  // namespace weighbridge::modes
