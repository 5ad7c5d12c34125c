#include "modes/assemble_load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weighbridge::modes {
namespace {

using load::PhaseOutcome;
using load::Sample;
using protocol::Outcome;

load::Spec open_loop() {
  load::Spec spec;
  spec.operations.emplace_back().method = "tools/call";
  spec.operations[0].name = "echo";
  spec.pace.emplace().segments = {{100, 100, 10s}};
  return spec;
}

PhaseOutcome thousand_calls() {
  PhaseOutcome outcome;
  outcome.begin = Instant(0ns);
  outcome.last_done = Instant(10'500ms);
  outcome.operations.resize(1);
  outcome.operations[0].count = {990, 5, 3, 2};
  outcome.operations[0].message_bytes = 99'000;
  outcome.operations[0].media.json = 990;
  outcome.served_in_window = 980;
  outcome.overran = 10;
  outcome.missed = 7;
  for (int i = 1; i <= 990; ++i)
    outcome.samples.add(Sample({.latency = std::chrono::milliseconds(i),
                                .service = std::chrono::milliseconds(i) - 1us,
                                .first_event = 1ms,
                                .outcome = Outcome::served}));
  for (int i = 0; i < 5; ++i)
    outcome.samples.add(Sample({.latency = 1ms, .service = 1ms, .outcome = Outcome::refused}));
  for (int i = 0; i < 3; ++i)
    outcome.samples.add(
        Sample({.latency = 9ms, .service = 2ms, .outcome = Outcome::failed, .waited = true}));
  for (int i = 0; i < 2; ++i)
    outcome.samples.add(Sample({.latency = 60s, .service = 60s, .outcome = Outcome::hung}));
  outcome.add_trouble(Outcome::failed, 0, "the token s3cret-value was refused", 3);
  outcome.served_per_tick.assign(100, 10);
  outcome.workers.push_back({.cpu = 2s, .spun = 1s, .waited = 100ms, .in_flight = 0, .real = 10s});
  return outcome;
}

record::LoadStep step(const load::Spec& spec = open_loop()) {
  plan::Plan plan;
  plan::Redactor redactor(plan);
  redactor.add_secret("s3cret-value");
  return step_of(spec, thousand_calls(), 1, redactor);
}

TEST(LoadStep, CountsEveryCallOnce) {
  const record::LoadStep made = step();
  EXPECT_EQ(made.sent, 1000U);
  EXPECT_EQ(made.intended, 1007U);
  EXPECT_EQ(made.served, 990U);
  EXPECT_EQ(made.latency->count, 990U);
  EXPECT_EQ(made.refused_latency->count, 5U);
  EXPECT_EQ(made.failed_latency->count, 3U);
  EXPECT_EQ(made.hung_latency->count, 2U);
}

TEST(LoadStep, GivesEveryOperationTheLatencyOfItsOwnServedCalls) {
  EXPECT_EQ(step().operations[0].latency->count, 990U);
  EXPECT_EQ(step().operations[0].latency->p50_ms, step().latency->p50_ms);

  load::Spec spec = open_loop();
  spec.operations.emplace_back().method = "tools/list";
  PhaseOutcome outcome = thousand_calls();
  outcome.operations.resize(2);
  outcome.operations[1].count = {1, 0, 0, 0};
  outcome.samples.add(Sample({.latency = 2s, .service = 2s, .operation = 1}));
  outcome.samples.add(
      Sample({.latency = 2s, .service = 2s, .outcome = Outcome::served, .operation = 1}));
  const plan::Plan plan;
  const record::LoadStep made = step_of(spec, outcome, 1, plan::Redactor(plan));
  EXPECT_EQ(made.operations[0].latency->count, 990U);
  EXPECT_EQ(made.operations[0].latency->max_ms, 990);
  EXPECT_EQ(made.operations[1].latency->count, 1U);
  EXPECT_EQ(made.operations[1].latency->max_ms, 2000);
}

TEST(LoadStep, TakesItsRateFromTheWindowAlone) {
  const record::LoadStep made = step();
  EXPECT_EQ(made.planned_seconds, 10);
  EXPECT_EQ(made.rate, 98);
  EXPECT_EQ(made.offered_rate, 100);
  EXPECT_EQ(made.real_seconds, 10.5);
  ASSERT_TRUE(made.rate_interval);
  EXPECT_EQ(made.rate_interval->low, 100);
}

TEST(LoadStep, WithoutAWindowDividesByTheTimeItTook) {
  load::Spec spec = open_loop();
  spec.pace.reset();
  spec.requests = 1000;
  const record::LoadStep made = step(spec);
  EXPECT_FALSE(made.planned_seconds);
  EXPECT_FALSE(made.intended);
  EXPECT_DOUBLE_EQ(made.rate, 990 / 10.5);
}

TEST(LoadStep, TellsTheDriversLatenessFromTheWaitForASlot) {
  const record::LoadStep made = step();
  EXPECT_EQ(made.lateness->count, 997U);
  EXPECT_EQ(made.lateness->max_ms, 0.001);
  EXPECT_EQ(made.slot_wait->count, 3U);
  EXPECT_EQ(made.slot_wait->p50_ms, 7);
}

TEST(LoadStep, QuotesNoPercentileThatTheSamplesDoNotSupport) {
  const record::LoadStep made = step();
  EXPECT_EQ(made.latency->p99_ms, 981);
  EXPECT_FALSE(made.latency->p999_ms);
  EXPECT_FALSE(made.failed_latency->p99_ms);
  for (const record::Quantile& point : made.spectrum)
    EXPECT_TRUE(point.q <= 0.9975 || point.q == 1) << point.q;
  EXPECT_EQ(made.spectrum.back().ms, 990);
}

TEST(LoadStep, ChargesTheDriverWithoutItsSpinning) {
  const record::LoadDriver driver = step().driver;
  EXPECT_DOUBLE_EQ(*driver.cpu_per_call_us, 1000);
  EXPECT_DOUBLE_EQ(driver.busy_share, 0.1);
  EXPECT_DOUBLE_EQ(driver.waited_share, 0.01);
  EXPECT_EQ(driver.spin_seconds, 1);
}

TEST(LoadStep, KeepsSecretsOutOfWhatTheServerSaid) {
  const record::LoadStep made = step();
  ASSERT_EQ(made.troubles.size(), 1U);
  EXPECT_EQ(made.troubles[0].first_text, "the token *** was refused");
  EXPECT_EQ(made.troubles[0].operation, "tools/call echo");
  EXPECT_EQ(made.troubles[0].count, 3U);
}

}  // namespace
}  // namespace weighbridge::modes
