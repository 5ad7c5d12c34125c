#include "stats/growth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "simulation.h"

namespace weighbridge::stats {
namespace {

constexpr int kTrials = 4000;
/// What a test at alpha = 0.01 passes with 98 %: 40 expected in 4000, and 2.05 standard deviations
/// of binomial(4000, 0.01) above.
constexpr int kMostAlarms = 53;
constexpr std::size_t kPoints = 48;

std::vector<double> counted(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i) * 50;
  return x;
}

using Series = std::function<std::vector<double>(Random&)>;

int told_to_grow(const Series& series) {
  const std::vector<double> x = counted(kPoints);
  int alarms = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    Random random(static_cast<std::uint64_t>(trial));
    alarms += growth(x, series(random))->grows ? 1 : 0;
  }
  return alarms;
}

/// A level that begins at `from` and takes `next(level, i)` from one reading to the next.
template <typename Next>
std::vector<double> walk(double from, const Next& next) {
  std::vector<double> y(kPoints);
  double level = from;
  for (std::size_t i = 0; i < kPoints; ++i) y[i] = level = next(level, i);
  return y;
}

TEST(Growth, RarelySeesALeakInNoiseAroundALevel) {
  EXPECT_LE(told_to_grow([](Random& random) {
              return drawn(kPoints, [&] { return 6000 + 30 * normal(random); });
            }),
            kMostAlarms);
}

TEST(Growth, RarelySeesALeakInALevelThatWanders) {
  EXPECT_LE(told_to_grow([](Random& random) {
              return walk(6000, [&](double level, std::size_t) { return level + normal(random); });
            }),
            kMostAlarms);
}

TEST(Growth, RarelySeesALeakInALevelThatComesBackSlowly) {
  EXPECT_LE(told_to_grow([](Random& random) {
              return walk(0,
                          [&](double level, std::size_t) { return 0.9 * level + normal(random); });
            }),
            kMostAlarms);
}

TEST(Growth, RarelySeesALeakInStepsThatDoNotGoOn) {
  EXPECT_LE(told_to_grow([](Random& random) {
              const std::size_t first = random.below(kPoints);
              const std::size_t second = random.below(kPoints);
              return walk(6000, [&](double level, std::size_t i) {
                return level + (i == first ? 128 : 0) + (i == second ? 64 * random.uniform() : 0);
              });
            }),
            kMostAlarms);
}

TEST(Growth, RarelySeesALeakInTheSawtoothOfACollector) {
  EXPECT_LE(told_to_grow([](Random& random) {
              double heap = 5000 * random.uniform();
              return drawn(kPoints, [&] {
                heap += 700 + 300 * random.uniform();
                if (heap > 5000) heap = 0;
                return 20000 + heap;
              });
            }),
            kMostAlarms);
}

TEST(Growth, FindsNineInTenLeaksOfTenTimesTheNoise) {
  const int found = told_to_grow([](Random& random) {
    double line = 0;
    return drawn(kPoints, [&] { return (line += 10.0 / (kPoints - 1)) + normal(random); });
  });
  EXPECT_GE(found, kTrials * 9 / 10);
}

TEST(Growth, HoldsTheTrueSlopeOfALeakInItsInterval) {
  int held = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    Random random(static_cast<std::uint64_t>(trial));
    const std::vector<double> x = counted(kPoints);
    std::vector<double> y;
    for (const double calls : x) y.push_back(6000 + 4 * calls + 20 * normal(random));
    held += holds(*growth(x, y)->per_unit.interval, 4) ? 1 : 0;
  }
  EXPECT_GE(held, 980);
}

TEST(Growth, SeesExactGrowthWithoutAnyNoise) {
  const std::vector<double> x = counted(20);
  std::vector<double> y;
  for (const double calls : x) y.push_back(100 + 4 * calls);
  const auto exact = growth(x, y);
  ASSERT_TRUE(exact);
  EXPECT_NEAR(exact->per_unit.value, 4, 1e-12);
  EXPECT_TRUE(exact->grows);
  EXPECT_EQ(exact->per_unit.n, 20U);
  EXPECT_DOUBLE_EQ(exact->per_unit.interval->confidence, 0.99);
}

TEST(Growth, SeesNoneInALevelThatStandsStillOrFalls) {
  const std::vector<double> x = counted(20);
  EXPECT_FALSE(growth(x, std::vector<double>(20, 6000))->grows);
  std::vector<double> falling;
  for (const double calls : x) falling.push_back(6000 - calls);
  EXPECT_FALSE(growth(x, falling)->grows);
}

TEST(Growth, MeasuresUnevenStepsOfWorkByTheirLength) {
  std::vector<double> x;
  std::vector<double> y;
  double calls = 0;
  for (std::size_t i = 0; i < 33; ++i) {
    calls += static_cast<double>(1 + i % 5);
    x.push_back(calls);
    y.push_back(3 * calls);
  }
  EXPECT_NEAR(growth(x, y)->per_unit.value, 3, 1e-12);
}

TEST(Growth, IsAbsentWhereNothingCanBeSaid) {
  const std::vector<double> x = counted(16);
  EXPECT_TRUE(growth(x, x));
  EXPECT_FALSE(growth(counted(15), counted(15)));
  EXPECT_FALSE(growth(x, counted(15)));
  EXPECT_FALSE(growth(x, x, 0));
  EXPECT_FALSE(growth(x, x, 1));
  std::vector<double> twice = x;
  twice[3] = twice[2];
  EXPECT_FALSE(growth(twice, x));
  std::vector<double> broken = x;
  broken[7] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(growth(x, broken));
}

}  // namespace
}  // namespace weighbridge::stats
