#include "modes/guards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weighbridge::modes {
namespace {

using record::DoubtKind;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

record::Method method(double p50_ms, double late_p99_ms) {
  record::Method method;
  method.method = "tools/call";
  method.detail = "echo";
  method.sent = method.served.count = 200;
  method.served.latency.emplace().p50_ms = p50_ms;
  method.lateness.emplace().p99_ms = late_p99_ms;
  method.lateness->max_ms = late_p99_ms * 2;
  return method;
}

TEST(DriverDoubts, AreSilentWhenTheDriverHadTimeToSpare) {
  record::Driver driver;
  driver.busy_share = 0.79;
  EXPECT_THAT(driver_doubts("x", driver, {method(10, 1.0)}), IsEmpty());
}

TEST(DriverDoubts, AccuseADriverBusyForMoreThanFourFifthsOfItsCore) {
  record::Driver driver;
  driver.busy_share = 0.81;
  const auto doubts = driver_doubts("x", driver, {});
  ASSERT_THAT(doubts, SizeIs(1));
  EXPECT_EQ(doubts[0].kind, DoubtKind::driver_limited);
  EXPECT_THAT(doubts[0].message, HasSubstr("81 %"));
}

TEST(DriverDoubts, AccuseSendsThatWereLateByMoreThanATenthOfTheReportedMedian) {
  EXPECT_THAT(driver_doubts("x", {}, {method(10, 1.01)}), SizeIs(1));
}

TEST(DriverDoubts, FallBackOnTheLargestLatenessWhereThereIsNoP99) {
  record::Method few = method(10, 0.6);
  few.lateness->p99_ms.reset();
  EXPECT_THAT(driver_doubts("x", {}, {few}), SizeIs(1));
}

TEST(WeatherDoubt, NeedsTwoPercentLostOrAGapOfTwentyMilliseconds) {
  const os::Weather quiet{0.01, 5ms, 50ms};
  EXPECT_FALSE(weather_doubt("x", quiet, quiet));
  EXPECT_TRUE(weather_doubt("x", quiet, os::Weather{0.03, 5ms, 50ms}));
  EXPECT_TRUE(weather_doubt("x", os::Weather{0.01, 21ms, 50ms}, quiet));
}

TEST(OutcomeDoubts, TellRefusedFailedAndHungApartWithTheirFirstWords) {
  record::Method mixed = method(1, 0);
  mixed.sent = 203;
  mixed.refused = {2, std::nullopt, "429", {}};
  mixed.hung = {1, std::nullopt, "", {}};
  const auto doubts = outcome_doubts("x", {mixed});
  ASSERT_THAT(doubts, SizeIs(1));
  EXPECT_EQ(doubts[0].kind, DoubtKind::outcomes_mixed);
  EXPECT_THAT(doubts[0].message, HasSubstr("3 of 203"));
  EXPECT_THAT(doubts[0].message, HasSubstr("2 refused (first: 429)"));
  EXPECT_THAT(doubts[0].message, HasSubstr("1 hung"));
}

TEST(OutcomeDoubts, SayWhenNothingWasServed) {
  record::Method none;
  none.method = "tools/call";
  none.sent = 5;
  none.failed.count = 5;
  EXPECT_EQ(outcome_doubts("x", {none}).at(0).kind, DoubtKind::nothing_served);
}

TEST(SamplingDoubts, AllowThreeTenthsOfAPercentOfACorePerProcess) {
  sampling::Trace trace;
  trace.sampler_cpu = 28ms;
  EXPECT_THAT(sampling_doubts("x", trace, 10s, 1), IsEmpty());
  trace.sampler_cpu = 31ms;
  EXPECT_THAT(sampling_doubts("x", trace, 10s, 1), SizeIs(1));
  EXPECT_THAT(sampling_doubts("x", trace, 10s, 8), IsEmpty());
}

TEST(AddOnce, DropsADoubtThatIsKnownAlready) {
  std::vector<record::Doubt> doubts;
  add_once(doubts, {DoubtKind::missing_source, "", "a", ""});
  add_once(doubts, {DoubtKind::missing_source, "elsewhere", "a", ""});
  add_once(doubts, {DoubtKind::missing_source, "", "b", ""});
  EXPECT_THAT(doubts, SizeIs(2));
}

}  // namespace
}  // namespace weighbridge::modes
