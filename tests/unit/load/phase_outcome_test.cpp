#include "load/phase_outcome.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace weighbridge::load {
namespace {

using protocol::Outcome;

TEST(Sample, BringsBackEveryPartToTheNanosecond) {
  Random random(1);
  for (int i = 0; i < 10'000; ++i) {
    const auto span = [&] { return Duration(static_cast<std::int64_t>(random.next() >> 24)); };
    const Sample::Parts in{.latency = span(),
                           .service = span(),
                           .first_event = span(),
                           .outcome = static_cast<Outcome>(random.below(4)),
                           .operation = static_cast<std::uint8_t>(random.below(32)),
                           .waited = random.below(2) == 1};
    const Sample::Parts out = Sample(in).parts();
    ASSERT_EQ(out.latency, in.latency);
    ASSERT_EQ(out.service, in.service);
    ASSERT_EQ(out.first_event, in.first_event);
    ASSERT_EQ(out.outcome, in.outcome);
    ASSERT_EQ(out.operation, in.operation);
    ASSERT_EQ(out.waited, in.waited);
  }
}

TEST(Sample, StaysAtTheLongestSpanInsteadOfWrapping) {
  const Sample::Parts out = Sample({.latency = 24h, .service = -1ns}).parts();
  EXPECT_GT(out.latency, 18min);
  EXPECT_EQ(out.service, 0ns);
  EXPECT_EQ(out.operation, 0);
}

TEST(SampleList, KeepsWhatItIsGivenInOrderAcrossBlocks) {
  SampleList list;
  SampleList other;
  for (int i = 0; i < 10'000; ++i) list.add(Sample({.latency = Duration(i)}));
  for (int i = 10'000; i < 15'000; ++i) other.add(Sample({.latency = Duration(i)}));
  list.add(std::move(other));
  list.add(Sample({.latency = Duration(15'000)}));
  EXPECT_EQ(list.size(), 15'001U);
  std::int64_t expected = 0;
  list.for_each([&](const Sample::Parts& call) { ASSERT_EQ(call.latency.count(), expected++); });
  EXPECT_EQ(expected, 15'001);
}

PhaseOutcome of_two_workers(Outcome outcome, Instant begin, Instant last) {
  PhaseOutcome one;
  one.begin = begin;
  one.last_done = last;
  one.operations.resize(1);
  one.operations[0].count[static_cast<std::size_t>(outcome)] = 2;
  one.samples.add(Sample({.latency = 1ms, .outcome = outcome}));
  one.samples.add(Sample({.latency = 2ms, .outcome = outcome}));
  one.sent_per_tick = {1, 1};
  one.workers.emplace_back().cpu = 5ms;
  one.missed = 3;
  return one;
}

TEST(PhaseOutcome, AddsUp) {
  PhaseOutcome total;
  total.add(of_two_workers(Outcome::served, Instant(10ms), Instant(20ms)));
  PhaseOutcome other = of_two_workers(Outcome::hung, Instant(12ms), Instant(50ms));
  other.sent_per_tick = {0, 0, 4};
  other.add_trouble(Outcome::hung, 0, "no reply", 2);
  total.add(std::move(other));
  EXPECT_EQ(total.sent(), 4U);
  EXPECT_EQ(total.of(Outcome::served), 2U);
  EXPECT_EQ(total.completed(), 2U);
  EXPECT_EQ(total.missed, 6U);
  EXPECT_EQ(total.real(), 40ms);
  EXPECT_EQ(total.samples.size(), 4U);
  EXPECT_EQ(total.sent_per_tick, (std::vector<std::uint32_t>{1, 1, 4}));
  EXPECT_EQ(total.workers.size(), 2U);
  ASSERT_EQ(total.troubles.size(), 1U);
  EXPECT_EQ(total.troubles[0].count, 2U);
  const auto hung = collect(
      total.samples, [](const Sample::Parts& call) { return call.outcome == Outcome::hung; },
      [](const Sample::Parts& call) { return call.latency; });
  EXPECT_EQ(hung.size(), 2U);
}

TEST(PhaseOutcome, CountsTroublesThatDifferInNumbersAsOneKind) {
  PhaseOutcome outcome;
  outcome.add_trouble(Outcome::failed, 0, "answer to another request: id 100000001, expected 7");
  outcome.add_trouble(Outcome::failed, 0, "answer to another request: id 9, expected 100000002");
  outcome.add_trouble(Outcome::failed, 0, "HTTP 500: oops");
  outcome.add_trouble(Outcome::refused, 0, "HTTP 500: oops");
  outcome.add_trouble(Outcome::failed, 1, "HTTP 500: oops");
  ASSERT_EQ(outcome.troubles.size(), 4U);
  EXPECT_EQ(outcome.troubles[0].count, 2U);
  EXPECT_EQ(outcome.troubles[0].first_text, "answer to another request: id 100000001, expected 7");
}

TEST(PhaseOutcome, KeepsABoundOnKindsOfTrouble) {
  PhaseOutcome outcome;
  for (char c = 'A'; c <= 'Z'; ++c)
    for (char d = 'a'; d <= 'z'; ++d) outcome.add_trouble(Outcome::failed, 0, {c, d});
  EXPECT_EQ(outcome.troubles.size(), PhaseOutcome::kMostTroubles);
  EXPECT_EQ(outcome.other_troubles, 26U * 26U - PhaseOutcome::kMostTroubles);
}

}  // namespace
}  // namespace weighbridge::load
