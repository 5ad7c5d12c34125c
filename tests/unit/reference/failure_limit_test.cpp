#include "reference/failure_limit.h"

#include <gtest/gtest.h>

namespace weighbridge::reference {
namespace {

TEST(FailureLimit, BlocksAnAddressAfterTenFailuresUntilTheMinuteIsOver) {
  FailureLimit limit;
  const Instant begin(100s);
  for (int i = 0; i < 9; ++i) limit.add("a", begin + i * 1s);
  EXPECT_FALSE(limit.blocks("a", begin + 9s));
  limit.add("a", begin + 9s);
  EXPECT_TRUE(limit.blocks("a", begin + 9s));
  EXPECT_FALSE(limit.blocks("b", begin + 9s));
  EXPECT_FALSE(limit.blocks("a", begin + 60s));
  limit.add("a", begin + 61s);
  EXPECT_FALSE(limit.blocks("a", begin + 61s)) << "counted anew";
}

TEST(FailureLimit, DoesNotRememberAFloodWithoutEnd) {
  FailureLimit limit;
  const Instant now(1s);
  for (int i = 0; i < 10; ++i) limit.add("a", now);
  for (int i = 0; i < 10'000; ++i) limit.add(std::to_string(i), now);
  EXPECT_FALSE(limit.blocks("a", now));
}

}  // namespace
}  // namespace weighbridge::reference
