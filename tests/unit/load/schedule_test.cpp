#include "load/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace weighbridge::load {
namespace {

std::vector<Duration> all(const Pace& pace, double factor = 1, std::uint64_t seed = 1) {
  Schedule schedule(pace, factor, seed);
  std::vector<Duration> due;
  while (const auto next = schedule.next()) due.push_back(*next);
  return due;
}

std::size_t within(const std::vector<Duration>& due, Duration from, Duration to) {
  return static_cast<std::size_t>(
      std::ranges::count_if(due, [&](Duration at) { return at >= from && at < to; }));
}

TEST(Schedule, SendsExactlyTheRateAndNeverDrifts) {
  const auto due = all({.segments = {{1000, 1000, 3600s}}});
  ASSERT_EQ(due.size(), 3'600'000U);
  EXPECT_EQ(due.front(), 0ns);
  for (std::size_t i = 0; i < due.size(); i += 997) ASSERT_EQ(due[i], std::chrono::milliseconds(i));
}

TEST(Schedule, PutsTheSameNumberIntoEveryTenthOfASecond) {
  // A rate that no nanosecond divides.
  const auto due = all({.segments = {{700, 700, 10s}}});
  EXPECT_EQ(due.size(), 7000U);
  for (Duration at = 0ns; at < 10s; at += 100ms) EXPECT_EQ(within(due, at, at + 100ms), 70U);
}

TEST(Schedule, TakesRatesBelowOneASecond) {
  const auto due = all({.segments = {{0.25, 0.25, 10s}}});
  EXPECT_THAT(due, testing::ElementsAre(0s, 4s, 8s));
}

TEST(Schedule, CountsARampByTheAreaUnderIt) {
  const Pace ramp{.segments = {{0, 100, 10s}}};
  const auto due = all(ramp);
  EXPECT_EQ(due.size(), 500U);
  EXPECT_DOUBLE_EQ(ramp.expected_calls(), 500);
  // Half the time is a quarter of the area.
  EXPECT_EQ(within(due, 0s, 5s), 125U);
  EXPECT_TRUE(std::ranges::is_sorted(due));
}

TEST(Schedule, RampsDownToNothing) {
  const auto due = all({.segments = {{100, 0, 10s}}});
  EXPECT_EQ(due.size(), 500U);
  EXPECT_EQ(within(due, 0s, 5s), 375U);
  EXPECT_LT(due.back(), 10s);
}

TEST(Schedule, WalksFromStretchToStretchAndOverSilence) {
  const auto due = all({.segments = {{10, 10, 1s}, {0, 0, 2s}, {20, 20, 1s}}});
  EXPECT_EQ(within(due, 0s, 1s), 10U);
  EXPECT_EQ(within(due, 1s, 3s), 0U);
  EXPECT_EQ(within(due, 3s, 4s), 20U);
}

TEST(Schedule, MultipliesRatesOfOneCredential) {
  EXPECT_EQ(all({.segments = {{2, 2, 10s}}}, /*factor=*/30).size(), 600U);
}

TEST(Schedule, PoissonArrivalsHaveTheRateAndTheSpreadOfTheirKind) {
  const auto due = all({.segments = {{1000, 1000, 100s}}, .poisson = true});
  // 100 000 expected, standard deviation 316.
  EXPECT_NEAR(static_cast<double>(due.size()), 100'000, 5 * 316);
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 1; i < due.size(); ++i) {
    const double gap = to_seconds(due[i] - due[i - 1]);
    sum += gap;
    squares += gap * gap;
  }
  const auto n = static_cast<double>(due.size() - 1);
  const double mean = sum / n;
  // Exponential: the standard deviation is the mean.
  EXPECT_NEAR(std::sqrt(squares / n - mean * mean) / mean, 1, 0.02);
}

TEST(Schedule, IsTheSameForTheSameSeed) {
  const Pace pace{.segments = {{100, 100, 10s}}, .poisson = true};
  EXPECT_EQ(all(pace, 1, 7), all(pace, 1, 7));
  EXPECT_NE(all(pace, 1, 7), all(pace, 1, 8));
}

}  // namespace
}  // namespace weighbridge::load
