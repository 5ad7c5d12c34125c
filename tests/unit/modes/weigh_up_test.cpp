#include "modes/weigh_up.h"

#include <gtest/gtest.h>

#include <vector>

namespace weighbridge::modes {
namespace {

using record::KnownWeight;
using record::Weighing;
using record::WeightVerdict;

Weighing weighing(double truth, double measured, bool quiet = true) {
  return {.truth = truth, .null_measured = 1, .measured = measured, .quiet = quiet};
}

std::vector<Weighing> ten_of(double truth, double measured) {
  return std::vector<Weighing>(10, weighing(truth, measured));
}

WeightSpec of_percent(double percent) {
  return {.id = "cpu-1", .what = "", .kind = "cpu", .unit = "ms", .bound_percent = percent};
}

TEST(WeighUp, TakesMediansOfWhatWasQuiet) {
  std::vector<Weighing> weighings;
  for (int i = 0; i < 11; ++i) weighings.push_back(weighing(100, 100 + i * 0.1));
  weighings.push_back(weighing(100, 180, /*quiet=*/false));
  weighings.push_back(weighing(100, 190, /*quiet=*/false));
  const KnownWeight weight = weigh_up(of_percent(2), weighings, 10);
  EXPECT_DOUBLE_EQ(weight.truth, 100);
  EXPECT_DOUBLE_EQ(weight.measured, 100.5);
  EXPECT_DOUBLE_EQ(weight.null_measured, 1);
  EXPECT_NEAR(weight.error.value, 0.5, 1e-12);
  EXPECT_NEAR(*weight.error_percent, 0.5, 1e-12);
  EXPECT_EQ(weight.error.n, 11U);
  ASSERT_TRUE(weight.error.interval);
  EXPECT_GE(weight.error.interval->low, 0);
  EXPECT_LE(weight.error.interval->high, 1);
  EXPECT_EQ(weight.counted, 11U);
  EXPECT_EQ(weight.not_quiet, 2U);
  EXPECT_EQ(weight.weighings.size(), 13U);
  EXPECT_EQ(weight.verdict, WeightVerdict::within);
}

TEST(WeighUp, PairsEveryErrorWithItsOwnTruth) {
  std::vector<Weighing> weighings;
  for (int i = 0; i < 10; ++i) weighings.push_back(weighing(10.0 * i, 10.0 * i + 3));
  const KnownWeight weight = weigh_up(of_percent(2), weighings, 10);
  EXPECT_NEAR(weight.error.value, 3, 1e-12);
  ASSERT_TRUE(weight.error.interval);
  EXPECT_NEAR(weight.error.interval->low, 3, 1e-12);
  EXPECT_NEAR(weight.error.interval->high, 3, 1e-12);
}

TEST(WeighUp, JudgesByTheWiderOfTwoBounds) {
  WeightSpec both = of_percent(1);
  both.bound = 0.3;
  EXPECT_EQ(weigh_up(both, ten_of(10, 10.29), 10).verdict, WeightVerdict::within);
  EXPECT_EQ(weigh_up(both, ten_of(10, 10.31), 10).verdict, WeightVerdict::outside);
  EXPECT_EQ(weigh_up(both, ten_of(92, 92.9), 10).verdict, WeightVerdict::within);
  EXPECT_EQ(weigh_up(both, ten_of(92, 93.1), 10).verdict, WeightVerdict::outside);
  EXPECT_EQ(weigh_up(both, ten_of(92, 90.9), 10).verdict, WeightVerdict::outside);
}

TEST(WeighUp, AllowsNothingWhereABoundIsZero) {
  WeightSpec exact{.id = "held-threads", .what = "", .kind = "things", .unit = "each", .bound = 0};
  EXPECT_EQ(weigh_up(exact, ten_of(3, 3), 10).verdict, WeightVerdict::within);
  EXPECT_EQ(weigh_up(exact, ten_of(3, 3.125), 10).verdict, WeightVerdict::outside);
}

TEST(WeighUp, SeesHalfAWeightAsOutside) {
  EXPECT_EQ(weigh_up(of_percent(2), ten_of(5, 2.5), 10).verdict, WeightVerdict::outside);
}

TEST(WeighUp, JudgesNothingOnABusyHostButShowsWhatItSaw) {
  std::vector<Weighing> weighings(9, weighing(5, 9));
  weighings.resize(20, weighing(5, 6, /*quiet=*/false));
  const KnownWeight weight = weigh_up(of_percent(2), weighings, 10);
  EXPECT_EQ(weight.verdict, WeightVerdict::too_few_quiet);
  EXPECT_EQ(weight.counted, 20U);
  EXPECT_EQ(weight.not_quiet, 11U);
  EXPECT_DOUBLE_EQ(weight.measured, 6);
}

TEST(WeighUp, AddsVerdictsUp) {
  WeightSpec told{
      .id = "null-growth", .what = "", .kind = "growth", .unit = "runs", .told = true, .bound = 1};
  std::vector<Weighing> runs(19, weighing(0, 0));
  runs.push_back(weighing(0, 1));
  const KnownWeight one = weigh_up(told, runs, 10);
  EXPECT_DOUBLE_EQ(one.measured, 1);
  EXPECT_EQ(one.verdict, WeightVerdict::within);
  EXPECT_FALSE(one.error.interval);
  EXPECT_FALSE(one.error_percent);
  runs.push_back(weighing(0, 1));
  EXPECT_EQ(weigh_up(told, runs, 10).verdict, WeightVerdict::outside);
}

TEST(WeighUp, HasNoPercentageOfANullWeight) {
  WeightSpec null = of_percent(1);
  null.bound = 0.5;
  const KnownWeight weight = weigh_up(null, ten_of(0, 0.4), 10);
  EXPECT_FALSE(weight.error_percent);
  EXPECT_EQ(weight.verdict, WeightVerdict::within);
}

TEST(WeighUp, OfNothingIsNoVerdict) {
  EXPECT_EQ(weigh_up(of_percent(1), {}, 0).verdict, WeightVerdict::too_few_quiet);
}

record::Calibration calibration_of(std::vector<KnownWeight> weights) {
  record::Calibration calibration;
  calibration.generated_at = "2026-11-30T17:00:00Z";
  calibration.quick = true;
  calibration.weights = std::move(weights);
  return calibration;
}

KnownWeight judged(const std::string& id, const std::string& kind, double truth, double low,
                   double high) {
  KnownWeight weight;
  weight.id = id;
  weight.kind = kind;
  weight.unit = kind == "latency" ? "ms" : "x";
  weight.truth = truth;
  weight.error = {(low + high) / 2, stats::Interval{low, high, 0.95}, 12};
  weight.verdict = WeightVerdict::within;
  return weight;
}

TEST(AccuracyOf, IsTheWorstOfEachKindAtTheFarEndOfItsInterval) {
  const auto accuracy = accuracy_of(calibration_of(
      {judged("memory-50k", "memory", 50, -0.1, 0.05),
       judged("memory-64k", "memory", 64, 0.1, 0.32), judged("cpu-1", "cpu", 5, -0.055, 0.01),
       judged("delay-exponential-p90", "latency", 46, -0.5, 0.5),
       judged("delay-exponential-p99", "latency", 92, -0.03, 0.09)}));
  EXPECT_EQ(accuracy.calibrated_at, "2026-11-30T17:00:00Z");
  EXPECT_TRUE(accuracy.quick);
  EXPECT_NEAR(*accuracy.memory_percent, 0.5, 1e-9);
  EXPECT_NEAR(*accuracy.cpu_percent, 1.1, 1e-9);
  EXPECT_NEAR(*accuracy.p99_us, 90, 1e-9);
  EXPECT_EQ(accuracy.weights, 5U);
  EXPECT_EQ(accuracy.weights_within, 5U);
}

TEST(AccuracyOf, SaysNothingOfWhatCouldNotBeJudged) {
  auto busy = judged("memory-50k", "memory", 50, -30, 30);
  busy.verdict = WeightVerdict::too_few_quiet;
  const auto accuracy =
      accuracy_of(calibration_of({busy, judged("null-cpu", "cpu", 0, -0.01, 0.01)}));
  EXPECT_FALSE(accuracy.memory_percent);
  EXPECT_FALSE(accuracy.cpu_percent);
  EXPECT_FALSE(accuracy.p99_us);
  EXPECT_EQ(accuracy.weights, 2U);
  EXPECT_EQ(accuracy.weights_within, 1U);
}

TEST(AccuracyOf, CountsAWeightThatIsOutside) {
  auto outside = judged("cpu-64", "cpu", 5, 0.4, 0.5);
  outside.verdict = WeightVerdict::outside;
  const auto accuracy = accuracy_of(calibration_of({outside}));
  EXPECT_NEAR(*accuracy.cpu_percent, 10, 1e-9);
  EXPECT_EQ(accuracy.weights_within, 0U);
}

}  // namespace
}  // namespace weighbridge::modes
