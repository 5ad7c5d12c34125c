#include "modes/summary.h"

#include <gtest/gtest.h>

namespace weighbridge::modes {
namespace {

record::Repeat repeat(double ready_ms, const std::vector<double>& samples) {
  record::Repeat repeat;
  repeat.startup.process_ready_ms = ready_ms;
  record::Method method;
  method.method = "tools/list";
  method.detail = "whole listing";
  method.sent = method.served.count = samples.size();
  method.served.samples_ms = samples;
  method.served.latency = latency_of(samples);
  repeat.methods.push_back(method);
  return repeat;
}

std::vector<double> ramp(int from, int to) {
  std::vector<double> values;
  for (int i = from; i <= to; ++i) values.push_back(i);
  return values;
}

TEST(Summary, QuotesTheMedianOfTheRepeatsWithTheConfidenceThatThreeGive) {
  const auto summary = summarise({repeat(5, {1}), repeat(7, {1}), repeat(6, {1})});
  ASSERT_TRUE(summary.process_ready_ms && summary.process_ready_ms->interval);
  EXPECT_DOUBLE_EQ(summary.process_ready_ms->value, 6);
  EXPECT_DOUBLE_EQ(summary.process_ready_ms->interval->low, 5);
  EXPECT_DOUBLE_EQ(summary.process_ready_ms->interval->high, 7);
  EXPECT_DOUBLE_EQ(summary.process_ready_ms->interval->confidence, 0.75);
}

TEST(Summary, PoolsTheSamplesOfAllRepeatsBeforeTakingPercentiles) {
  const auto summary = summarise({repeat(1, ramp(1, 50)), repeat(1, ramp(51, 100))});
  ASSERT_EQ(summary.methods.size(), 1U);
  ASSERT_TRUE(summary.methods[0].latency);
  EXPECT_EQ(summary.methods[0].latency->count, 100U);
  EXPECT_DOUBLE_EQ(summary.methods[0].latency->p50_ms, 50);
  EXPECT_DOUBLE_EQ(summary.methods[0].latency->p99_ms.value(), 99);
  EXPECT_TRUE(summary.methods[0].p50_interval_ms);
}

TEST(Summary, HasNoP99UnderAHundredSamples) {
  const auto summary = summarise({repeat(1, ramp(1, 99))});
  EXPECT_FALSE(summary.methods.at(0).latency->p99_ms);
  EXPECT_DOUBLE_EQ(summary.methods.at(0).latency->max_ms, 99);
}

TEST(Summary, LeavesOutWhatNoRepeatMeasured) {
  record::Repeat bare;
  const auto summary = summarise({bare});
  EXPECT_FALSE(summary.idle_mib);
  EXPECT_FALSE(summary.threads);
  EXPECT_FALSE(summary.serve_cpu_seconds);
  EXPECT_TRUE(summary.methods.empty());
}

TEST(Summary, DrawsNoLatencyWhereNothingWasServed) {
  record::Repeat refused = repeat(1, {});
  refused.methods[0].sent = refused.methods[0].refused.count = 10;
  refused.methods[0].refused.first_text = "429";
  const auto summary = summarise({refused});
  EXPECT_FALSE(summary.methods.at(0).latency);
  EXPECT_EQ(summary.methods.at(0).refused, 10U);
  EXPECT_EQ(summary.methods.at(0).first_refusal, "429");
}

}  // namespace
}  // namespace weighbridge::modes
