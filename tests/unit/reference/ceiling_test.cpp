#include "reference/ceiling.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <limits>

namespace weighbridge::reference {
namespace {

TEST(HeldCallCeiling, LeavesDescriptorsForThoseWhoCome) {
  EXPECT_EQ(held_call_ceiling(1024), 192U);
  EXPECT_EQ(held_call_ceiling(4096), 1536U);
  EXPECT_EQ(held_call_ceiling(100), 1U);
  EXPECT_EQ(held_call_ceiling(0), 1U);
  EXPECT_GT(held_call_ceiling(std::numeric_limits<std::uint64_t>::max()), 1U << 30U);
}

TEST(SessionCeiling, IsHalfOfIt) {
  EXPECT_EQ(session_ceiling(192), 96U);
  EXPECT_EQ(session_ceiling(1), 1U);
}

TEST(DescriptorLimit, IsRaisedAsFarAsItGoes) {
  const auto limit = raise_descriptor_limit();
  rlimit now{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &now), 0);
  EXPECT_EQ(now.rlim_cur, limit);
  EXPECT_EQ(now.rlim_max, limit);
}

}  // namespace
}  // namespace weighbridge::reference
