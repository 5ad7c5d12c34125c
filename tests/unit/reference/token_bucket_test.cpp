#include "reference/token_bucket.h"

#include <gtest/gtest.h>

namespace weighbridge::reference {
namespace {

TEST(TokenBucket, GivesABurstAndThenItsRate) {
  TokenBucket bucket(10, 4);
  const Instant begin(100s);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(bucket.take(1, begin));
  EXPECT_FALSE(bucket.take(1, begin));
  EXPECT_FALSE(bucket.take(1, begin + 99ms));
  EXPECT_TRUE(bucket.take(1, begin + 101ms));
  EXPECT_FALSE(bucket.take(1, begin + 101ms));
}

TEST(TokenBucket, NeverHoldsMoreThanABurst) {
  TokenBucket bucket(10, 2);
  const Instant later(1h);
  EXPECT_TRUE(bucket.take(2, later));
  EXPECT_FALSE(bucket.take(1, later));
}

TEST(TokenBucket, GivesMoreThanABurstWhenItIsFullAndIsLongEmptyAfterwards) {
  TokenBucket bucket(10, 10);
  const Instant begin(1s);
  EXPECT_TRUE(bucket.take(30, begin));
  EXPECT_FALSE(bucket.take(1, begin + 2s));
  EXPECT_TRUE(bucket.take(1, begin + 2101ms));
}

}  // namespace
}  // namespace weighbridge::reference
