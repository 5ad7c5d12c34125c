#include "sampling/dear_source.h"

#include <gtest/gtest.h>

namespace weighbridge::sampling {
namespace {

TEST(DearSource, IsDueAtFirst) {
  EXPECT_TRUE(DearSource().due(Instant(1h)));
}

TEST(DearSource, CostsAtMostOnePartInThreeThousandOfTheTime) {
  DearSource source;
  Duration cost{};
  const Instant start(1h);
  for (Instant at = start; at < start + 150s; at += 100ms) {
    if (!source.due(at)) continue;
    source.charge(4ms, at);
    cost += 4ms;
  }
  EXPECT_LE(cost, 50ms + 4ms);
  EXPECT_GE(cost, 45ms);
}

TEST(DearSource, ACheapOneIsReadAtEveryTick) {
  DearSource source;
  source.charge(30us, Instant(1h));
  EXPECT_TRUE(source.due(Instant(1h) + 100ms));
}

}  // namespace
}  // namespace weighbridge::sampling
