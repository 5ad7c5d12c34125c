#include "stats/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace weighbridge::stats {
namespace {

Samples of(const std::vector<std::int64_t>& nanoseconds) {
  Samples samples;
  for (const std::int64_t value : nanoseconds) samples.add(Duration(value));
  return samples;
}

TEST(Summary, IsWhatAHandComputes) {
  // Mean 5; squared distances 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, over 7.
  const auto summary = summarize(of({9, 4, 2, 5, 4, 7, 5, 4}));
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->count, 8U);
  EXPECT_EQ(summary->min, 2);
  EXPECT_EQ(summary->max, 9);
  EXPECT_EQ(summary->p50, 4);
  EXPECT_DOUBLE_EQ(summary->mean, 5);
  ASSERT_TRUE(summary->stddev && summary->cv);
  EXPECT_DOUBLE_EQ(*summary->stddev, std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(*summary->cv, std::sqrt(32.0 / 7) / 5);
}

TEST(Summary, IsAbsentWithoutSamples) {
  EXPECT_FALSE(summarize(Samples()));
}

TEST(Summary, OfOneSampleHasNoSpread) {
  const auto summary = summarize(of({42}));
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->min, 42);
  EXPECT_EQ(summary->p50, 42);
  EXPECT_EQ(summary->max, 42);
  EXPECT_DOUBLE_EQ(summary->mean, 42);
  EXPECT_FALSE(summary->stddev);
  EXPECT_FALSE(summary->cv);
}

TEST(Summary, OfTwoSamplesDividesByOne) {
  const auto summary = summarize(of({10, 14}));
  ASSERT_TRUE(summary && summary->stddev);
  EXPECT_DOUBLE_EQ(*summary->stddev, std::sqrt(8.0));
}

TEST(Summary, OfEqualValuesHasASpreadOfZero) {
  const auto summary = summarize(of({7, 7, 7}));
  ASSERT_TRUE(summary && summary->stddev && summary->cv);
  EXPECT_EQ(*summary->stddev, 0);
  EXPECT_EQ(*summary->cv, 0);
}

TEST(Summary, LeavesOutWhatTheCountDoesNotSupport) {
  std::vector<std::int64_t> values;
  const auto summary_of_count = [&](std::size_t count) {
    while (values.size() < count) values.push_back(static_cast<std::int64_t>(values.size()) + 1);
    return *summarize(of(values));
  };
  EXPECT_FALSE(summary_of_count(9).p90);
  EXPECT_EQ(summary_of_count(10).p90, 9);
  EXPECT_FALSE(summary_of_count(99).p99);
  EXPECT_EQ(summary_of_count(100).p99, 99);
  EXPECT_FALSE(summary_of_count(999).p999);
  EXPECT_EQ(summary_of_count(1000).p999, 999);
}

TEST(Summary, HasNoCoefficientOfVariationAroundAMeanOfZero) {
  const auto summary = summarize(of({-5, 5}));
  ASSERT_TRUE(summary);
  EXPECT_TRUE(summary->stddev);
  EXPECT_FALSE(summary->cv);
}

TEST(Summary, KeepsTheDigitsOfASmallSpreadBesideALargeMean) {
  constexpr std::int64_t kFar = 1'000'000'000'000'000;
  const auto summary = summarize(of({kFar + 1, kFar + 2, kFar + 3}));
  ASSERT_TRUE(summary && summary->stddev);
  EXPECT_DOUBLE_EQ(summary->mean, 1e15 + 2);
  EXPECT_DOUBLE_EQ(*summary->stddev, 1);
}

TEST(Summary, DoesNotOverflowOnTheLargestLatencies) {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  const auto summary = summarize(of({kLargest, kLargest, kLargest}));
  ASSERT_TRUE(summary);
  EXPECT_DOUBLE_EQ(summary->mean, static_cast<double>(kLargest));
}

}  // namespace
}  // namespace weighbridge::stats
