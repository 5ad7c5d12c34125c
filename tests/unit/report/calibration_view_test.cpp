#include "report/calibration_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weighbridge::report {
namespace {

using record::WeightVerdict;
using testing::HasSubstr;
using testing::Not;

record::KnownWeight weight_of(const std::string& id, double truth, double measured,
                              const std::string& unit) {
  record::KnownWeight weight;
  weight.id = id;
  weight.what = "something that weighs";
  weight.kind = "cpu";
  weight.unit = unit;
  weight.truth = truth;
  weight.measured = measured;
  weight.error = {measured - truth, stats::Interval{measured - truth - 0.01, 0.05, 0.96}, 12};
  weight.error_percent = 100 * (measured - truth) / truth;
  weight.bound_percent = 2;
  weight.verdict = WeightVerdict::within;
  weight.counted = 11;
  weight.not_quiet = 1;
  weight.weighings.resize(12);
  return weight;
}

record::Calibration two_weights() {
  record::Calibration calibration;
  calibration.generated_at = "2026-11-30T17:00:00Z";
  calibration.server = "reference-server 0.1.0";
  calibration.host.cpu_model = "AMD EPYC";
  calibration.build.version = "0.1.0";
  calibration.least_quiet = 10;
  calibration.weights = {weight_of("cpu-1", 5, 5.02, "ms"), weight_of("cpu-64", 5, 4.98, "ms")};
  calibration.accuracy = {.calibrated_at = "2026-11-30T17:00:00Z",
                          .memory_percent = 0.64,
                          .cpu_percent = 1.1,
                          .p99_us = 90,
                          .weights = 2,
                          .weights_within = 2};
  return calibration;
}

std::string screen(const record::Calibration& calibration) {
  return to_terminal(view_of(calibration), {.width = 160});
}

TEST(CalibrationView, ShowsTrueMeasuredErrorAndItsInterval) {
  const std::string text = screen(two_weights());
  EXPECT_THAT(text, HasSubstr("All 2 known weights are within their bounds."));
  EXPECT_THAT(text, HasSubstr("On this host: memory ±0.64 %, CPU ±1.1 %, p99 ±90 µs"));
  EXPECT_THAT(text, HasSubstr("5.00 ms   5.02 ms  +0.0200 [+0.0100, +0.0500]"));
  EXPECT_THAT(text, HasSubstr("+0.400  2 %      within   11 of 12"));
  EXPECT_THAT(text, HasSubstr("-0.400"));
  EXPECT_THAT(text, HasSubstr("A verdict needs 10 quiet weighings"));
}

TEST(CalibrationView, NamesWhatIsOutsideAndWhatCouldNotBeJudged) {
  auto calibration = two_weights();
  calibration.weights[0].verdict = WeightVerdict::outside;
  calibration.weights[1].verdict = WeightVerdict::too_few_quiet;
  const std::string text = screen(calibration);
  EXPECT_THAT(text,
              HasSubstr("Of 2 known weights, 0 are within their bounds, 1 outside, and 1 could "
                        "not be judged: the host was too busy."));
  EXPECT_THAT(text, HasSubstr("OUTSIDE"));
  EXPECT_THAT(text, HasSubstr("not judged"));
}

TEST(CalibrationView, SaysWhatTheKernelDidNotShow) {
  auto calibration = two_weights();
  calibration.doubts.push_back({record::DoubtKind::missing_source, "memory-peak",
                                "not weighed: the kernel tells no high-water mark", "Beware"});
  EXPECT_THAT(screen(calibration),
              HasSubstr("memory-peak: not weighed: the kernel tells no high-water mark. Beware."));
  EXPECT_THAT(to_markdown(view_of(calibration)), HasSubstr("tells no high-water mark"));
}

TEST(CalibrationView, WarnsOfAQuickAPartialAndABrokenOne) {
  auto calibration = two_weights();
  EXPECT_EQ(view_of(calibration).warning, "");
  calibration.quick = true;
  EXPECT_THAT(screen(calibration), HasSubstr("This was a quick calibration"));
  calibration.only = "cpu-*";
  EXPECT_THAT(screen(calibration), HasSubstr("Only weights like \"cpu-*\" were weighed"));
  EXPECT_THAT(screen(calibration), Not(HasSubstr("On this host")));
  calibration.status = record::Status::broke_off;
  calibration.broke_off_because = "the server died";
  EXPECT_THAT(screen(calibration), HasSubstr("This run broke off: the server died."));
}

TEST(CalibrationView, CountsVerdictsInWholeRuns) {
  auto calibration = two_weights();
  record::KnownWeight& told = calibration.weights[0];
  told.told = true;
  told.truth = 20;
  told.measured = 19;
  told.unit = "runs";
  told.error = {-1, std::nullopt, 20};
  told.error_percent.reset();
  told.bound = 1;
  told.bound_percent.reset();
  EXPECT_THAT(screen(calibration), HasSubstr("20 runs   19 runs"));
}

TEST(CalibrationView, IsAPageWithTheSameTableAndTheHost) {
  const std::string page = to_markdown(view_of(two_weights()));
  EXPECT_THAT(page, HasSubstr("# How far off the figures are\n"));
  EXPECT_THAT(page, HasSubstr("| `cpu-1` | something that weighs | 5.00 ms | 5.02 ms |"));
  EXPECT_THAT(page, HasSubstr("| CPU | AMD EPYC |"));
  EXPECT_THAT(page, HasSubstr("Weighed: reference-server 0.1.0, on AMD EPYC"));
  EXPECT_THAT(page, Not(HasSubstr("\n\n\n")));
}

}  // namespace
}  // namespace weighbridge::report
