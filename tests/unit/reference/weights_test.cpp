#include "reference/weights.h"

#include <gtest/gtest.h>
#include <time.h>

#include "os/real_clock.h"

namespace weighbridge::reference {
namespace {

Duration thread_cpu() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + Duration(now.tv_nsec);
}

TEST(BurnCpu, BurnsWhatWasAskedAndSaysWhatItWas) {
  for (const Duration asked : {Duration(200us), Duration(2ms), Duration(20ms)}) {
    const Duration before = thread_cpu();
    const Duration said = burn_cpu(asked);
    const Duration burnt = thread_cpu() - before;
    EXPECT_GE(said, asked);
    EXPECT_GE(burnt, said);
    // A sanitised build reads the clock slowly; nothing else may happen in between.
    EXPECT_LE(said, asked + 1ms);
    EXPECT_LE(burnt, said + 1ms);
  }
}

TEST(BurnCpu, BurnsNothingForNothing) {
  EXPECT_EQ(burn_cpu(Duration(0)), Duration(0));
}

TEST(FreezePlan, ReadsLengthAndPeriod) {
  const auto plan = FreezePlan::parse("1s/4s");
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->length, 1s);
  EXPECT_EQ(plan->period, 4s);
  for (const auto* text : {"", "1s", "1s/", "/4s", "4s/4s", "5s/4s", "0s/4s", "1s/4s/5s"})
    EXPECT_FALSE(FreezePlan::parse(text)) << text;
}

TEST(FreezePlan, FreezesAtTheStartOfEveryPeriodFromTheFirstRequestOn) {
  const FreezePlan plan{.length = 1s, .period = 4s};
  const Instant first(100s);
  const auto at = [&](Duration after) { return plan.at_or_after(first, first + after); };
  EXPECT_EQ(at(0s).begin, first);
  EXPECT_EQ(at(0s).end, first + 1s);
  EXPECT_EQ(at(999ms).begin, first);
  EXPECT_EQ(at(1s).begin, first + 4s);
  EXPECT_EQ(at(3s).begin, first + 4s);
  EXPECT_EQ(at(4500ms).begin, first + 4s);
  EXPECT_EQ(at(4500ms).end, first + 5s);
  EXPECT_EQ(at(4005s).begin, first + 4008s);
}

TEST(FreezeUntil, SleepsToTheEndAndNotAtAllWhenItIsPast) {
  const Instant begin = os::now();
  EXPECT_GE(freeze_until(begin + 30ms), 25ms);
  EXPECT_GE(os::now(), begin + 30ms);
  EXPECT_LT(freeze_until(begin), 1s);
}

}  // namespace
}  // namespace weighbridge::reference
