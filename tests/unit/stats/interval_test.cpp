#include "stats/interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "simulation.h"

namespace weighbridge::stats {
namespace {

TEST(QuantileRanks, OfAMedianAreTheTextbookOnes) {
  // Tails of binomial(n, 1/2): n = 6, 1/64 at each end; n = 10, (1 + 10) / 1024.
  const auto six = quantile_ranks(6, 0.5, 0.95);
  ASSERT_TRUE(six);
  EXPECT_EQ(six->low, 1U);
  EXPECT_EQ(six->high, 6U);
  EXPECT_NEAR(six->confidence, 1 - 2.0 / 64, 1e-12);

  const auto ten = quantile_ranks(10, 0.5, 0.95);
  ASSERT_TRUE(ten);
  EXPECT_EQ(ten->low, 2U);
  EXPECT_EQ(ten->high, 9U);
  EXPECT_NEAR(ten->confidence, 1 - 2 * 11.0 / 1024, 1e-12);
}

TEST(QuantileRanks, AreAbsentBelowTheSmallestSufficientCount) {
  EXPECT_FALSE(quantile_ranks(5, 0.5, 0.95));
  EXPECT_TRUE(quantile_ranks(6, 0.5, 0.95));
  // 0.99^367 is just above 2.5 %, 0.99^368 just below.
  EXPECT_FALSE(quantile_ranks(367, 0.99, 0.95));
  EXPECT_TRUE(quantile_ranks(368, 0.99, 0.95));
  EXPECT_FALSE(quantile_ranks(0, 0.5, 0.95));
  EXPECT_FALSE(quantile_ranks(1, 0.5, 0.95));
}

TEST(QuantileRanks, AreAbsentWhereNoSampleCanBoundTheQuantile) {
  EXPECT_FALSE(quantile_ranks(1000, 0, 0.95));
  EXPECT_FALSE(quantile_ranks(1000, 1, 0.95));
  EXPECT_FALSE(quantile_ranks(1000, 0.5, 1));
  EXPECT_FALSE(quantile_ranks(1000, 0.5, 0));
}

TEST(QuantileRanks, RiskAtMostHalfAtEachEndAndNoNarrowerOnesDo) {
  // The binomial summed by hand: 40 samples, p90.
  const int n = 40;
  std::vector<double> at_most(n + 1);
  double term = std::pow(0.1, n);
  double sum = term;
  at_most[0] = sum;
  for (int k = 1; k <= n; ++k) {
    term *= (n - k + 1) / static_cast<double>(k) * 0.9 / 0.1;
    sum += term;
    at_most[static_cast<std::size_t>(k)] = sum;
  }
  const auto ranks = quantile_ranks(n, 0.9, 0.9);
  ASSERT_TRUE(ranks);
  EXPECT_LE(at_most[ranks->low - 1], 0.05);
  EXPECT_GT(at_most[ranks->low], 0.05);
  EXPECT_LE(1 - at_most[ranks->high - 1], 0.05);
  EXPECT_GT(1 - at_most[ranks->high - 2], 0.05);
  EXPECT_NEAR(ranks->confidence, at_most[ranks->high - 1] - at_most[ranks->low - 1], 1e-12);
}

TEST(QuantileRanks, HandleTenMillionSamples) {
  const auto ranks = quantile_ranks(10'000'000, 0.5, 0.95);
  ASSERT_TRUE(ranks);
  // Normal approximation: 5 000 000 -+ 1.96 * sqrt(10^7) / 2 = 3099.
  EXPECT_NEAR(static_cast<double>(ranks->low), 5e6 - 3099, 3);
  EXPECT_NEAR(static_cast<double>(ranks->high), 5e6 + 3099, 3);
  EXPECT_NEAR(ranks->confidence, 0.95, 0.001);
}

TEST(PercentileEstimate, CarriesTheObservedValuesAtItsRanks) {
  Samples samples;
  for (std::int64_t value = 100; value >= 10; value -= 10) samples.add(Duration(value));
  const auto estimate = percentile_estimate(samples, 0.5);
  ASSERT_TRUE(estimate && estimate->interval);
  EXPECT_EQ(estimate->n, 10U);
  EXPECT_EQ(estimate->value, 50);
  EXPECT_EQ(estimate->interval->low, 20);
  EXPECT_EQ(estimate->interval->high, 90);
}

TEST(PercentileEstimate, KeepsItsValueWhenThereAreTooFewSamplesForAnInterval) {
  Samples samples;
  EXPECT_FALSE(percentile_estimate(samples, 0.5));
  samples.add(Duration(3));
  const auto estimate = percentile_estimate(samples, 0.99);
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->value, 3);
  EXPECT_FALSE(estimate->interval);
}

TEST(PercentileEstimate, OfEqualValuesIsThatValue) {
  Samples samples;
  for (int i = 0; i < 50; ++i) samples.add(Duration(8));
  const auto estimate = percentile_estimate(samples, 0.5);
  ASSERT_TRUE(estimate && estimate->interval);
  EXPECT_EQ(estimate->interval->low, 8);
  EXPECT_EQ(estimate->interval->high, 8);
}

// Alpha = 1 - the achieved confidence, 2000 trials each. The standard error of the coverage is at
// most 0.0049 (at 95 %), so a correct interval stays within 0.013 of what it states with more than
// 99 % probability in every row.
TEST(PercentileEstimate, CoversAsOftenAsItStates) {
  struct Row {
    std::size_t n;
    double q;
    double confidence;
  };
  constexpr double kMean = 1e6;
  for (const Row row : {Row{6, 0.5, 0.95}, Row{25, 0.5, 0.95}, Row{60, 0.9, 0.95},
                        Row{400, 0.99, 0.95}, Row{50, 0.5, 0.99}}) {
    Random random(row.n);
    double stated = 0;
    const double truth = -kMean * std::log1p(-row.q);
    const double covered = coverage(2000, truth, [&] {
      Samples samples;
      for (std::size_t i = 0; i < row.n; ++i) {
        samples.add(Duration(std::llround(random.exponential(kMean))));
      }
      const Interval interval = *percentile_estimate(samples, row.q, row.confidence)->interval;
      stated = interval.confidence;
      return interval;
    });
    EXPECT_GE(stated, row.confidence);
    EXPECT_NEAR(covered, stated, 0.013) << "n = " << row.n << ", q = " << row.q;
  }
}

TEST(MedianOfRepeats, OfThreeIsTheMiddleOneWithin75Percent) {
  const auto estimate = median_of_repeats(std::vector{9.0, 1.0, 4.0});
  ASSERT_TRUE(estimate && estimate->interval);
  EXPECT_EQ(estimate->value, 4);
  EXPECT_EQ(estimate->n, 3U);
  EXPECT_EQ(estimate->interval->low, 1);
  EXPECT_EQ(estimate->interval->high, 9);
  EXPECT_DOUBLE_EQ(estimate->interval->confidence, 0.75);
}

TEST(MedianOfRepeats, OfTwoIsTheLowerOneWithin50Percent) {
  const auto estimate = median_of_repeats(std::vector{8.0, 6.0});
  ASSERT_TRUE(estimate && estimate->interval);
  EXPECT_EQ(estimate->value, 6);
  EXPECT_EQ(estimate->interval->high, 8);
  EXPECT_DOUBLE_EQ(estimate->interval->confidence, 0.5);
}

TEST(MedianOfRepeats, OfASingleRunHasNoInterval) {
  const auto estimate = median_of_repeats(std::vector{8.0});
  ASSERT_TRUE(estimate);
  EXPECT_EQ(estimate->value, 8);
  EXPECT_FALSE(estimate->interval);
  EXPECT_FALSE(median_of_repeats({}));
}

TEST(MedianOfRepeats, NarrowsOnceThereAreEnoughRepeatsForTheLevel) {
  const auto estimate =
      median_of_repeats(std::vector{1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0});
  ASSERT_TRUE(estimate && estimate->interval);
  EXPECT_EQ(estimate->value, 5);
  EXPECT_EQ(estimate->interval->low, 2);
  EXPECT_EQ(estimate->interval->high, 9);
}

// Alpha 0.25 and 0.0625, 4000 trials: standard errors 0.0068 and 0.0038, so 0.018 is passed by a
// correct interval with more than 99 % probability.
TEST(MedianOfRepeats, CoversAsOftenAsItStates) {
  for (const std::size_t n : {std::size_t{3}, std::size_t{5}}) {
    Random random(n);
    const double covered = coverage(4000, std::numbers::ln2, [&] {
      return *median_of_repeats(drawn(n, [&] { return random.exponential(1); }))->interval;
    });
    EXPECT_NEAR(covered, 1 - std::exp2(1 - static_cast<double>(n)), 0.018) << "n = " << n;
  }
}

}  // namespace
}  // namespace weighbridge::stats
