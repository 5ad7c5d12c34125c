#include "base/clock.h"

#include <gtest/gtest.h>

namespace weighbridge {
namespace {

TEST(ManualClock, StandsStillUntilToldOtherwise) {
  ManualClock clock;
  const Instant start = clock.now();
  EXPECT_EQ(clock.now(), start);
  clock.advance(3s);
  EXPECT_EQ(clock.now() - start, 3s);
  clock.advance(-1s);
  EXPECT_EQ(clock.now() - start, 2s);
}

TEST(ManualClock, CanBeSetToAnyInstant) {
  ManualClock clock;
  clock.advance(1h);
  clock.set(Instant(5ms));
  EXPECT_EQ(clock.now(), Instant(5ms));
}

TEST(Duration, TurnsIntoSecondsAndMilliseconds) {
  EXPECT_DOUBLE_EQ(to_seconds(1500ms), 1.5);
  EXPECT_DOUBLE_EQ(to_milliseconds(1500us), 1.5);
  EXPECT_DOUBLE_EQ(to_seconds(-2s), -2);
}

// Disabled until from_seconds() rounds: it cuts, and 15 ns come back as 14.
TEST(Duration, ComesBackFromSecondsToTheSameNanosecond) {
  // 15e-9 * 1e9 is a little under 15: cutting instead of rounding would lose a nanosecond.
  for (long long nanoseconds = -1000; nanoseconds <= 1000; ++nanoseconds) {
    const Duration span(nanoseconds);
    EXPECT_EQ(from_seconds(to_seconds(span)), span);
  }
}

TEST(Duration, ComesFromSeconds) {
  EXPECT_EQ(from_seconds(1.5), 1500ms);
  EXPECT_EQ(from_seconds(0), 0s);
  EXPECT_EQ(from_seconds(-2), -2s);
}

}  // namespace
}  // namespace weighbridge
