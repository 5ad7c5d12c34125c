#include "reference/delay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace weighbridge::reference {
namespace {

DelaySource source(std::string_view text, std::uint64_t seed = 1) {
  auto parsed = DelaySource::parse(text, seed);
  EXPECT_TRUE(parsed) << text;
  return std::move(*parsed);
}

std::vector<double> milliseconds(DelaySource delays, std::size_t count) {
  std::vector<double> values(count);
  for (auto& value : values) value = to_milliseconds(delays.next());
  return values;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

TEST(DelaySource, MakesTheSameDelayAgainAndAgain) {
  EXPECT_EQ(milliseconds(source("10ms"), 3), (std::vector<double>{10, 10, 10}));
}

TEST(DelaySource, TakesAListInTurn) {
  EXPECT_EQ(milliseconds(source("list:1ms,2ms,500us"), 4), (std::vector<double>{1, 2, 0.5, 1}));
}

TEST(DelaySource, ReadsAListFromAFile) {
  const auto path = ::testing::TempDir() + "weighbridge_delays.txt";
  std::ofstream(path) << "1ms\n\n 3ms \n";
  EXPECT_EQ(milliseconds(source("@" + path), 3), (std::vector<double>{1, 3, 1}));
  std::remove(path.c_str());
}

// The bounds are five standard errors of what is measured, on a fixed seed.
TEST(DelaySource, DrawsUniformlyBetweenBothEnds) {
  const auto values = milliseconds(source("uniform:5ms-15ms"), 20'000);
  EXPECT_NEAR(mean(values), 10, 5 * 10 / std::sqrt(12.0 * 20'000));
  EXPECT_GE(*std::ranges::min_element(values), 5);
  EXPECT_LE(*std::ranges::max_element(values), 15);
  EXPECT_NEAR(static_cast<double>(std::ranges::count_if(values, [](double v) { return v < 7.5; })),
              5'000, 310);
}

TEST(DelaySource, DrawsExponentiallyWithTheMeanGiven) {
  const auto values = milliseconds(source("exponential:20ms"), 20'000);
  EXPECT_NEAR(mean(values), 20, 5 * 20 / std::sqrt(20'000.0));
  const auto over = std::ranges::count_if(values, [](double v) { return v > 20; });
  EXPECT_NEAR(static_cast<double>(over) / 20'000, std::exp(-1.0), 0.017);
}

TEST(DelaySource, DrawsTheSecondModeAsOftenAsItsShareSays) {
  const auto values = milliseconds(source("bimodal:5ms,50ms,0.1"), 20'000);
  const auto slow = std::ranges::count(values, 50.0);
  EXPECT_EQ(std::ranges::count(values, 5.0) + slow, 20'000);
  EXPECT_NEAR(static_cast<double>(slow), 2'000, 212);
}

TEST(DelaySource, IsTheSameForTheSameSeedAndDiffersForAnother) {
  EXPECT_EQ(milliseconds(source("exponential:1ms", 7), 50),
            milliseconds(source("exponential:1ms", 7), 50));
  EXPECT_NE(milliseconds(source("exponential:1ms", 7), 50),
            milliseconds(source("exponential:1ms", 8), 50));
}

TEST(DelaySource, RefusesWhatIsNoDelay) {
  for (const auto* text :
       {"", "soon", "10", "-5ms", "uniform:5ms", "uniform:9ms-3ms", "exponential:0ms",
        "exponential:1ms,2ms", "bimodal:1ms,2ms", "bimodal:1ms,2ms,3", "bimodal:1ms,2ms,x",
        "normal:5ms", "list:", "@/no/such/file"}) {
    const auto parsed = DelaySource::parse(text, 1);
    ASSERT_FALSE(parsed) << text;
    EXPECT_FALSE(describe(parsed.error()).empty());
  }
}

}  // namespace
}  // namespace weighbridge::reference
