#include "report/numbers.h"

#include <gtest/gtest.h>

#include <cmath>

namespace weighbridge::report {
namespace {

stats::Interval between(double low, double high) {
  return {.low = low, .high = high, .confidence = 0.95};
}

TEST(Numbers, KeepThreeSignificantDigits) {
  EXPECT_EQ(figure(0.005123), "0.00512");
  EXPECT_EQ(figure(0.1), "0.100");
  EXPECT_EQ(figure(1.4249), "1.42");
  EXPECT_EQ(figure(14.25), "14.2");
  EXPECT_EQ(figure(142.4), "142");
  EXPECT_EQ(figure(3214.7), "3215");
}

TEST(Numbers, RoundingUpIntoTheNextDecadeGainsNoDigit) {
  EXPECT_EQ(figure(9.996), "10.0");
  EXPECT_EQ(figure(99.96), "100");
  EXPECT_EQ(figure(0.9996), "1.00");
}

TEST(Numbers, ANanosecondInMillisecondsStillShows) {
  EXPECT_EQ(figure(0.000001), "0.000001");
}

TEST(Numbers, MeasuredZeroIsZeroAndUnmeasuredIsNot) {
  EXPECT_EQ(figure(0.0), "0");
  EXPECT_EQ(figure(std::optional<double>()), kAbsent);
  EXPECT_EQ(whole(std::optional<std::uint64_t>()), kAbsent);
  EXPECT_EQ(joined(figure_cell(std::optional<stats::Estimate>())), kAbsent);
  EXPECT_EQ(figure(std::nan("")), kAbsent);
  EXPECT_EQ(figure(INFINITY), kAbsent);
}

TEST(Numbers, NothingIsPrintedAsMinusZero) {
  EXPECT_EQ(figure(-0.0), "0");
  EXPECT_EQ(joined(figure_cell(-0.001, between(-50, 50))), "0.0 [-50.0, 50.0]");
}

TEST(Numbers, AnIntervalStandsBehindItsFigure) {
  EXPECT_EQ(joined(figure_cell(106.2, between(104.8, 108.1))), "106 [105, 108]");
}

TEST(Numbers, AnIntervalThatRoundsToTheFigureIsLeftOut) {
  EXPECT_EQ(joined(figure_cell(106.2, between(106.1, 106.3))), "106");
  EXPECT_EQ(joined(count_cell(stats::Estimate{34, between(34, 34), 3})), "34");
}

TEST(Numbers, ASmallSlopeIsNotPrintedFinerThanItsIntervalAllows) {
  EXPECT_EQ(joined(figure_cell(0.0213, between(-0.53, 0.57))), "0.021 [-0.530, 0.570]");
}

TEST(Numbers, ALongTailDoesNotTakeTheFiguresDigits) {
  EXPECT_EQ(joined(figure_cell(1.234, between(1.2, 145.3))), "1.23 [1.20, 145]");
}

TEST(Numbers, CountsHaveNoDecimals) {
  EXPECT_EQ(joined(count_cell(stats::Estimate{34, between(33, 36), 3})), "34 [33, 36]");
}

TEST(Numbers, SharesBecomePercentages) {
  EXPECT_EQ(percentage(0.0213), "2.13 %");
  EXPECT_EQ(percentage(1), "100 %");
}

}  // namespace
}  // namespace weighbridge::report
