#include "stats/least_squares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "simulation.h"

namespace weighbridge::stats {
namespace {

using Values = std::vector<double>;

TEST(LeastSquares, OfThreePointsIsWhatAHandComputes) {
  // Residuals -1/6, 1/3, -1/6: error sqrt(1/6 / 1 / 2) = 0.288675, t(0.975, 1) = 12.7062.
  const auto line = least_squares(Values{1, 2, 3}, Values{1, 2, 2});
  ASSERT_TRUE(line && line->slope.interval && line->r2);
  EXPECT_NEAR(line->slope.value, 0.5, 1e-12);
  EXPECT_EQ(line->slope.n, 3U);
  EXPECT_NEAR(line->intercept, 2.0 / 3, 1e-12);
  EXPECT_NEAR(*line->r2, 0.75, 1e-12);
  EXPECT_NEAR(line->slope.interval->low, 0.5 - 12.7062 * 0.288675, 1e-4);
  EXPECT_NEAR(line->slope.interval->high, 0.5 + 12.7062 * 0.288675, 1e-4);
  EXPECT_EQ(line->slope.interval->confidence, 0.95);
}

TEST(LeastSquares, OfPointsOnALineIsThatLineExactly) {
  const auto line = least_squares(Values{0, 1, 2, 3}, Values{5, 7, 9, 11});
  ASSERT_TRUE(line && line->slope.interval && line->r2);
  EXPECT_DOUBLE_EQ(line->slope.value, 2);
  EXPECT_DOUBLE_EQ(line->intercept, 5);
  EXPECT_DOUBLE_EQ(*line->r2, 1);
  EXPECT_DOUBLE_EQ(line->slope.interval->low, 2);
  EXPECT_DOUBLE_EQ(line->slope.interval->high, 2);
}

TEST(LeastSquares, IsAbsentUnderThreePoints) {
  EXPECT_FALSE(least_squares({}, {}));
  EXPECT_FALSE(least_squares(Values{1}, Values{1}));
  EXPECT_FALSE(least_squares(Values{1, 2}, Values{1, 2}));
}

TEST(LeastSquares, IsAbsentWithoutSpreadInX) {
  EXPECT_FALSE(least_squares(Values{4, 4, 4}, Values{1, 2, 3}));
  // Their mean is not exactly 0.1 in binary.
  EXPECT_FALSE(least_squares(Values{0.1, 0.1, 0.1}, Values{1, 2, 3}));
}

TEST(LeastSquares, IsAbsentForValuesThatAreNoNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(least_squares(Values{1, 2, nan}, Values{1, 2, 3}));
  EXPECT_FALSE(least_squares(Values{1, 2, 3}, Values{1, infinity, 3}));
  EXPECT_FALSE(least_squares(Values{1, 2, 3}, Values{1, 2}));
}

TEST(LeastSquares, OfEqualYHasASlopeOfZeroAndNothingToExplain) {
  const auto line = least_squares(Values{1, 2, 3}, Values{0.1, 0.1, 0.1});
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->slope.value, 0, 1e-15);
  EXPECT_FALSE(line->r2);
}

TEST(LeastSquares, KeepsItsDigitsFarFromTheOrigin) {
  // Bytes of resident memory over instants in nanoseconds: both far from zero.
  Values x;
  Values y;
  for (int i = 0; i < 10; ++i) {
    x.push_back(1e15 + i * 1e6);
    y.push_back(1e9 + i * 4096);
  }
  const auto line = least_squares(x, y);
  ASSERT_TRUE(line && line->r2);
  EXPECT_NEAR(line->slope.value, 4096 / 1e6, 1e-12);
  EXPECT_NEAR(*line->r2, 1, 1e-9);
}

TEST(LeastSquares, WidensWithTheConfidenceAsked) {
  const Values x{1, 2, 3, 4, 5};
  const Values y{1.1, 1.9, 3.2, 3.9, 5.1};
  const auto loose = least_squares(x, y, 0.8);
  const auto strict = least_squares(x, y, 0.99);
  ASSERT_TRUE(loose && strict);
  EXPECT_GT(strict->slope.interval->high, loose->slope.interval->high);
  EXPECT_LT(strict->slope.interval->low, loose->slope.interval->low);
  EXPECT_FALSE(least_squares(x, y, 1)->slope.interval);
}

// Alpha 0.05, 4000 trials: standard error 0.0034, so 0.935 to 0.965 is passed by a correct interval
// with more than 99.99 % probability.
TEST(LeastSquares, CoversTheTrueSlopeIn95PercentOfRamps) {
  for (const std::size_t clients : {std::size_t{3}, std::size_t{8}, std::size_t{64}}) {
    Random random(clients);
    Values x;
    for (std::size_t i = 1; i <= clients; ++i) x.push_back(static_cast<double>(i));
    const double covered = coverage(4000, 12.5, [&] {
      Values y;
      for (const double client : x) y.push_back(106 + 12.5 * client + 3 * normal(random));
      return *least_squares(x, y)->slope.interval;
    });
    EXPECT_GT(covered, 0.935) << clients << " clients";
    EXPECT_LT(covered, 0.965) << clients << " clients";
  }
}

}  // namespace
}  // namespace weighbridge::stats
