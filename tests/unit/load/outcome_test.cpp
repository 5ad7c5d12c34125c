#include "load/outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weighbridge::load {
namespace {

using protocol::Outcome;

Instant at(Duration since_start) {
  return Instant{} + 1s + since_start;
}

CallRecord call(protocol::Outcome outcome, Duration due, Duration sent, Duration done) {
  return {at(due), at(sent), at(done), outcome, 100, 120};
}

TEST(LoadOutcome, CountsLatencyFromDueAndServiceTimeFromSent) {
  load::Outcome outcome;
  outcome.add(call(Outcome::served, 0ms, 3ms, 10ms), {});
  EXPECT_THAT(outcome.of(Outcome::served).latencies, testing::ElementsAre(10ms));
  EXPECT_EQ(outcome.service.percentile(0.5), Duration(7ms).count());
  EXPECT_EQ(outcome.lateness.percentile(0.5), Duration(3ms).count());
}

TEST(LoadOutcome, NeverPoolsRefusalsWithServedCalls) {
  load::Outcome outcome;
  outcome.add(call(Outcome::served, 0ms, 0ms, 50ms), {});
  outcome.add(call(Outcome::refused, 0ms, 0ms, 1ms), "429 Too Many Requests");
  outcome.add(call(Outcome::failed, 0ms, 0ms, 2ms), "boom");
  outcome.add(call(Outcome::hung, 0ms, 0ms, 60s), "no reply");
  EXPECT_THAT(outcome.of(Outcome::served).latencies, testing::ElementsAre(50ms));
  EXPECT_THAT(outcome.of(Outcome::refused).latencies, testing::ElementsAre(1ms));
  EXPECT_EQ(outcome.service.size(), 1U);
  EXPECT_EQ(outcome.message_bytes.size(), 1U);
  EXPECT_EQ(outcome.sent(), 4U);
  EXPECT_EQ(outcome.completed(), 3U);
}

TEST(LoadOutcome, KeepsTheFirstReasonOfEachKind) {
  load::Outcome outcome;
  outcome.add(call(Outcome::failed, 0ms, 0ms, 1ms), "first");
  outcome.add(call(Outcome::failed, 0ms, 0ms, 1ms), "second");
  EXPECT_EQ(outcome.of(Outcome::failed).first_text, "first");
}

TEST(LoadOutcome, AddsUpSoThatWorkersCanHandOver) {
  load::Outcome left;
  left.add(call(Outcome::served, 0ms, 0ms, 1ms), {});
  left.wall = 1s;
  load::Outcome right;
  right.add(call(Outcome::served, 0ms, 0ms, 2ms), {});
  right.add(call(Outcome::refused, 0ms, 0ms, 3ms), "busy");
  right.wall = 2s;
  right.media.sse = 2;
  left.add(right);
  EXPECT_THAT(left.of(Outcome::served).latencies, testing::ElementsAre(1ms, 2ms));
  EXPECT_EQ(left.of(Outcome::refused).first_text, "busy");
  EXPECT_EQ(left.sent(), 3U);
  EXPECT_EQ(left.wall, 3s);
  EXPECT_EQ(left.media.sse, 2U);
}

}  // namespace
}  // namespace weighbridge::load
