#include <gtest/gtest.h>

#include <vector>

#include "sampling/sampler.h"

namespace weighbridge::sampling {
namespace {

/// Plays back readings on a clock that only moves when waited for.
Settled settle_on(const std::vector<std::uint64_t>& readings, Duration pause, Duration ceiling) {
  ManualClock clock;
  std::size_t next = 0;
  return settle([&] { return readings.at(std::min(next++, readings.size() - 1)); },
                [&](Duration span) { clock.advance(span); }, clock, pause, ceiling);
}

TEST(Settle, TakesTwoReadingsThatAgree) {
  const Settled settled = settle_on({1000, 1005}, 500ms, 10s);
  EXPECT_TRUE(settled.settled);
  EXPECT_EQ(settled.resident_bytes, 1005U);
  EXPECT_EQ(settled.readings, 2);
}

TEST(Settle, GoesOnWhileReadingsDifferByMoreThanOnePercent) {
  const Settled settled = settle_on({2000, 1500, 1100, 1000, 1005}, 500ms, 10s);
  EXPECT_TRUE(settled.settled);
  EXPECT_EQ(settled.resident_bytes, 1005U);
  EXPECT_EQ(settled.readings, 5);
}

TEST(Settle, OnePercentExactlyIsSettledAndALittleMoreIsNot) {
  EXPECT_TRUE(settle_on({990, 1000}, 1s, 1s).settled);
  EXPECT_FALSE(settle_on({989, 1000}, 1s, 1s).settled);
}

TEST(Settle, StopsAtTheCeilingAndSaysSo) {
  const Settled settled = settle_on({100, 200, 400, 800, 1600, 3200}, 1s, 3s);
  EXPECT_FALSE(settled.settled);
  EXPECT_EQ(settled.readings, 4);
  EXPECT_EQ(settled.resident_bytes, 800U);
}

TEST(Settle, NothingIsSettledBySilenceOfAnEndedProcess) {
  EXPECT_TRUE(settle_on({0, 0}, 1s, 5s).settled);
}

}  // namespace
}  // namespace weighbridge::sampling
