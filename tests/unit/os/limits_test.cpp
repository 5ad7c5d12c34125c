#include "os/limits.h"

#include <gtest/gtest.h>

namespace weighbridge::os {
namespace {

TEST(DescriptorLimit, CanBeRaisedUpToTheHardOne) {
  const DescriptorLimit before = descriptor_limit();
  ASSERT_GT(before.soft, 0U);
  EXPECT_TRUE(raise_descriptor_limit(before.soft));
  EXPECT_TRUE(raise_descriptor_limit(before.hard));
  EXPECT_EQ(descriptor_limit().soft, before.hard);
  EXPECT_FALSE(raise_descriptor_limit(before.hard + 1));
}

TEST(LocalPorts, AreCountedAsTheKernelOffersThem) {
  EXPECT_GT(local_port_count(), 0U);
  EXPECT_LT(local_port_count(), 65'536U);
}

}  // namespace
}  // namespace weighbridge::os
