#include "stats/samples.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace weighbridge::stats {
namespace {

Samples of(const std::vector<std::int64_t>& nanoseconds) {
  Samples samples;
  for (const std::int64_t value : nanoseconds) samples.add(Duration(value));
  return samples;
}

Samples counting(std::int64_t n) {
  Samples samples;
  for (std::int64_t value = 1; value <= n; ++value) samples.add(Duration(value));
  return samples;
}

TEST(Samples, GivePercentilesThatWereObserved) {
  const Samples samples = of({40, 10, 30, 20});
  EXPECT_EQ(samples.percentile(0.25), 10);
  EXPECT_EQ(samples.percentile(0.26), 20);
  EXPECT_EQ(samples.percentile(0.5), 20);
  EXPECT_EQ(samples.percentile(0.51), 30);
  EXPECT_EQ(samples.percentile(0.75), 30);
  EXPECT_EQ(samples.percentile(0.99), 40);
}

TEST(Samples, GiveTheMinimumAtZeroAndTheMaximumAtOne) {
  const Samples samples = of({7, -3, 5});
  EXPECT_EQ(samples.percentile(0), -3);
  EXPECT_EQ(samples.percentile(1), 7);
  EXPECT_EQ(samples.allowed(0), -3);
  EXPECT_EQ(samples.allowed(1), 7);
}

TEST(Samples, GiveTheOnlyValueAtEveryPercentile) {
  const Samples samples = of({12});
  for (const double q : {0.0, 0.01, 0.5, 0.99, 1.0}) EXPECT_EQ(samples.percentile(q), 12);
}

TEST(Samples, HaveNoPercentilesWhenEmpty) {
  const Samples none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.percentile(0.5), std::nullopt);
  EXPECT_EQ(none.allowed(0.5), std::nullopt);
  EXPECT_TRUE(none.sorted().empty());
}

TEST(Samples, AllowThe99thPercentileFromAHundredSamples) {
  EXPECT_EQ(counting(99).allowed(0.99), std::nullopt);
  EXPECT_EQ(counting(100).allowed(0.99), 99);
}

TEST(Samples, AllowThe999thPermilleFromAThousandSamples) {
  EXPECT_EQ(counting(999).allowed(0.999), std::nullopt);
  EXPECT_EQ(counting(1000).allowed(0.999), 999);
}

TEST(Samples, AllowThe90thPercentileFromTenSamplesAndTheMedianFromOne) {
  EXPECT_EQ(counting(9).allowed(0.9), std::nullopt);
  EXPECT_EQ(counting(10).allowed(0.9), 9);
  EXPECT_EQ(counting(1).allowed(0.5), 1);
}

TEST(Samples, ThatAreMergedAnswerAsIfOneSetHadSeenAll) {
  Samples left = of({50, 10, 30});
  ASSERT_EQ(left.percentile(1), 50);  // sorted once before the merge
  left.merge(of({20, 60, 40}));
  left.merge(Samples());
  EXPECT_EQ(left.size(), 6U);
  EXPECT_EQ(left.percentile(0.5), 30);
  EXPECT_EQ(left.percentile(1), 60);
}

TEST(Samples, SeeWhatIsAddedAfterAQuestion) {
  Samples samples = of({10, 20});
  ASSERT_EQ(samples.percentile(0), 10);
  samples.add(Duration(5));
  EXPECT_EQ(samples.percentile(0), 5);
}

TEST(Samples, FindTheSameAtRanksAsSortingDoes) {
  Samples samples;
  Samples sorted;
  std::int64_t value = 1;
  for (int i = 0; i < 2000; ++i) {
    value = value * 48271 % 2147483647;
    samples.add(Duration(value % 500));  // many of them equal
    sorted.add(Duration(value % 500));
  }
  const std::vector<std::size_t> ranks{1, 2, 2, 1000, 1001, 1980, 1999, 2000};
  std::vector<std::int64_t> expected;
  for (const std::size_t rank : ranks) expected.push_back(sorted.sorted()[rank - 1]);
  EXPECT_EQ(samples.at_ranks(ranks), expected);
  EXPECT_EQ(samples.at_ranks(ranks), expected);
  EXPECT_EQ(samples.percentile(0.5), expected[3]);
  EXPECT_EQ(sorted.at_ranks(ranks), expected);
}

TEST(NearestRank, IsNotPushedUpByBinaryRounding) {
  // Without care seven of these are one too high; 0.07 * 100 is 7.000000000000001.
  for (std::size_t percent = 1; percent <= 100; ++percent) {
    EXPECT_EQ(nearest_rank(static_cast<double>(percent) / 100, 100), percent);
    EXPECT_EQ(nearest_rank(static_cast<double>(percent) / 100, 100'000'000), percent * 1'000'000);
  }
  for (std::size_t permille = 1; permille <= 1000; ++permille) {
    EXPECT_EQ(nearest_rank(static_cast<double>(permille) / 1000, 1000), permille);
  }
}

TEST(NearestRank, StepsUpAsSoonAsTheProductPassesAWholeNumber) {
  EXPECT_EQ(nearest_rank(0.500001, 1000), 501U);
  EXPECT_EQ(nearest_rank(0.99, 101), 100U);
  EXPECT_EQ(nearest_rank(0.0, 1000), 1U);
}

}  // namespace
}  // namespace weighbridge::stats
