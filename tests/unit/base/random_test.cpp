#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace weighbridge {
namespace {

// Printed by tools/oracles/random_oracle.py, which is written apart from random.cpp and checks
// itself against published vectors first.
TEST(Random, DrawsThePublishedSequenceOfItsAlgorithm) {
  struct Row {
    std::uint64_t seed;
    std::array<std::uint64_t, 5> draws;
  };
  constexpr std::array<Row, 4> kRows{{{0x0,
                                       {0x99ec5f36cb75f2b4, 0xbf6e1f784956452a, 0x1a5f849d4933e6e0,
                                        0x6aa594f1262d2d2c, 0xbba5ad4a1f842e59}},
                                      {0x1,
                                       {0xb3f2af6d0fc710c5, 0x853b559647364cea, 0x92f89756082a4514,
                                        0x642e1c7bc266a3a7, 0xb27a48e29a233673}},
                                      {0x2a,
                                       {0x15780b2e0c2ec716, 0x6104d9866d113a7e, 0xae17533239e499a1,
                                        0xecb8ad4703b360a1, 0xfde6dc7fe2ec5e64}},
                                      {0xffffffffffffffff,
                                       {0x8f5520d52a7ead08, 0xc476a018caa1802d, 0x81de31c0d260469e,
                                        0xbf658d7e065f3c2f, 0x913593fda1bca32a}}}};
  for (const Row& row : kRows) {
    Random random(row.seed);
    for (const std::uint64_t draw : row.draws) EXPECT_EQ(random.next(), draw) << row.seed;
  }
}

TEST(Random, RepeatsForOneSeedAndDiffersForTheNext) {
  Random first(7);
  Random again(7);
  Random other(8);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t draw = first.next();
    EXPECT_EQ(draw, again.next());
    EXPECT_NE(draw, other.next());
  }
}

/// Largest distance between the empirical and the true distribution function (Kolmogorov and
/// Smirnov's statistic), times the square root of the count.
template <typename Below>
double distance(std::vector<double> values, const Below& below) {
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = below(values[i]);
    const auto rank = static_cast<double>(i);
    largest = std::max({largest, expected - rank / n, (rank + 1) / n - expected});
  }
  return largest * std::sqrt(n);
}

// Alpha 0.001 (1.95) for one seed each, and the seeds are fixed: what passes once passes always.
constexpr double kCritical = 1.95;
constexpr std::size_t kDraws = 100'000;

TEST(Random, SpreadsUniformDrawsEvenlyOverZeroToOne) {
  Random random(3);
  std::vector<double> values(kDraws);
  for (double& value : values) value = random.uniform();
  EXPECT_GE(std::ranges::min(values), 0);
  EXPECT_LT(std::ranges::max(values), 1);
  EXPECT_LT(distance(values, [](double value) { return value; }), kCritical);
}

TEST(Random, DrawsExponentialWaitsOfTheMeanAsked) {
  constexpr double kMean = 20;
  Random random(4);
  std::vector<double> values(kDraws);
  double sum = 0;
  for (double& value : values) {
    value = random.exponential(kMean);
    ASSERT_TRUE(std::isfinite(value));
    ASSERT_GE(value, 0);
    sum += value;
  }
  // Standard error of the mean: 20 / sqrt(100 000) = 0.063.
  EXPECT_NEAR(sum / kDraws, kMean, 4 * 0.063);
  EXPECT_LT(distance(values, [](double value) { return -std::expm1(-value / kMean); }), kCritical);
}

TEST(Random, GivesEveryValueBelowABoundAnEqualShare) {
  constexpr std::size_t kBound = 7;
  Random random(5);
  std::array<int, kBound> counts{};
  for (std::size_t i = 0; i < kDraws; ++i) {
    const std::uint64_t value = random.below(kBound);
    ASSERT_LT(value, kBound);
    ++counts[value];
  }
  double chi_squared = 0;
  constexpr double kExpected = static_cast<double>(kDraws) / kBound;
  for (const int count : counts)
    chi_squared += (count - kExpected) * (count - kExpected) / kExpected;
  EXPECT_LT(chi_squared, 22.46);  // alpha 0.001 at 6 degrees of freedom
}

TEST(Random, KeepsToBoundsAtBothExtremes) {
  Random random(6);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(random.below(1), 0U);
    EXPECT_LT(random.below(UINT64_MAX), UINT64_MAX);
  }
}

TEST(Random, DoesNotFavourSmallValuesUnderAHugeBound) {
  // Without rejection, two thirds of the draws below 3 * 2^62 would be taken by its lower half.
  constexpr std::uint64_t kBound = 3ULL << 62;
  Random random(9);
  int low = 0;
  for (std::size_t i = 0; i < kDraws; ++i) low += random.below(kBound) < kBound / 2 ? 1 : 0;
  // Standard error 158.
  EXPECT_NEAR(low, kDraws / 2.0, 4 * 158);
}

}  // namespace
}  // namespace weighbridge
