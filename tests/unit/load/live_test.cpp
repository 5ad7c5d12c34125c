#include "load/live.h"

#include <gtest/gtest.h>

#include <cmath>

namespace weighbridge::load {
namespace {

TEST(Live, KnowsPercentilesToAFewHundredths) {
  const auto live = std::make_unique<Live>();
  for (int i = 1; i <= 10'000; ++i)
    live->count(protocol::Outcome::served, std::chrono::microseconds(i));
  live->count(protocol::Outcome::failed, 10s);
  Live::Reading reading;
  live->add_to(reading);
  EXPECT_EQ(reading.of(protocol::Outcome::served), 10'000U);
  for (const double q : {0.01, 0.5, 0.9, 0.99, 1.0}) {
    const double seen = to_milliseconds(*reading.percentile(q, {}));
    EXPECT_NEAR(seen / (q * 10), 1, 0.02) << q;
  }
}

TEST(Live, TellsWhatCameSinceTheLastLook) {
  const auto live = std::make_unique<Live>();
  live->count(protocol::Outcome::served, 1s);
  Live::Reading before;
  live->add_to(before);
  Live::Reading same;
  live->add_to(same);
  EXPECT_FALSE(same.percentile(0.5, before));
  live->count(protocol::Outcome::served, 1ms);
  Live::Reading after;
  live->add_to(after);
  EXPECT_NEAR(to_milliseconds(*after.percentile(0.99, before)), 1, 0.02);
}

TEST(Live, HoldsAnySpan) {
  const auto live = std::make_unique<Live>();
  for (const Duration span : {-1ns, 0ns, 1ns, 63ns, 64ns, 65ns, Duration(24h)})
    live->count(protocol::Outcome::served, span);
  Live::Reading reading;
  live->add_to(reading);
  EXPECT_EQ(reading.of(protocol::Outcome::served), 7U);
}

}  // namespace
}  // namespace weighbridge::load
