// src/stats against SciPy: the fixture is printed by tools/oracles/stats_oracle.py.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "stats/bootstrap.h"
#include "stats/least_squares.h"
#include "stats/summary.h"

namespace weighbridge::stats {
namespace {

using nlohmann::json;
using Values = std::vector<double>;

/// Throws, and so fails the test, when the fixture is missing or lacks the section.
json section(const std::string& name) {
  std::ifstream file(WEIGHBRIDGE_SOURCE_DIR "/tests/fixtures/stats/scipy.json");
  return json::parse(file).at(name);
}

void expect_close(double ours, const json& theirs, double relative) {
  EXPECT_NEAR(ours, theirs.get<double>(), relative * std::abs(theirs.get<double>()));
}

TEST(SciPy, AgreesOnSummaries) {
  for (const json& expected : section("summaries")) {
    SCOPED_TRACE(expected.at("name"));
    Samples samples;
    for (const std::int64_t value : expected.at("nanoseconds")) samples.add(Duration(value));
    const Summary summary = *summarize(samples);
    EXPECT_DOUBLE_EQ(summary.mean, expected.at("mean").get<double>());
    expect_close(*summary.stddev, expected.at("stddev"), 1e-9);
    expect_close(*summary.cv, expected.at("cv"), 1e-9);
    const std::vector<std::int64_t> percentiles = expected.at("percentiles");
    EXPECT_EQ(summary.p50, percentiles.at(0));
    EXPECT_EQ(samples.percentile(0.9), percentiles.at(1));
    EXPECT_EQ(samples.percentile(0.99), percentiles.at(2));
    EXPECT_EQ(samples.percentile(0.999), percentiles.at(3));
  }
}

TEST(SciPy, AgreesOnRanksFoundByTryingThemAll) {
  for (const json& expected : section("ranks")) {
    SCOPED_TRACE(expected.dump());
    const auto ranks =
        quantile_ranks(expected.at("n"), expected.at("q"), expected.at("confidence"));
    const json& theirs = expected.at("ranks");
    ASSERT_EQ(ranks.has_value(), !theirs.is_null());
    if (!ranks) continue;
    EXPECT_EQ(ranks->low, theirs.at("low").get<std::size_t>());
    EXPECT_EQ(ranks->high, theirs.at("high").get<std::size_t>());
    expect_close(ranks->confidence, theirs.at("confidence"), 1e-10);
  }
}

TEST(SciPy, AgreesOnLinesAndTheIntervalsOfTheirSlopes) {
  for (const json& expected : section("lines")) {
    SCOPED_TRACE(expected.at("name"));
    const auto line = least_squares(expected.at("x").get<Values>(), expected.at("y").get<Values>());
    ASSERT_TRUE(line && line->slope.interval && line->r2);
    expect_close(line->slope.value, expected.at("slope"), 1e-8);
    expect_close(line->intercept, expected.at("intercept"), 1e-8);
    expect_close(*line->r2, expected.at("r2"), 1e-8);
    expect_close(line->slope.interval->low, expected.at("low"), 1e-6);
    expect_close(line->slope.interval->high, expected.at("high"), 1e-6);
  }
}

TEST(SciPy, AgreesOnBootstrapsUpToTheirChance) {
  // The two draw different resamples. With 40 000 of ours an end of the interval scatters by about
  // 0.5 % of the width (standard error of a quantile); 2 % is four of those.
  for (const json& expected : section("bootstraps")) {
    SCOPED_TRACE(expected.at("name"));
    const Bootstrap how{
        .seed = 3,
        .resamples = 40'000,
        .kind = expected.at("kind") == "bca" ? BootstrapKind::bca : BootstrapKind::percentile};
    const auto sets = expected.at("sets").get<std::vector<Values>>();
    const auto ours = sets.size() == 1 ? bootstrap_mean(sets.at(0), how)
                                       : bootstrap_ratio_of_means(sets.at(0), sets.at(1), how);
    ASSERT_TRUE(ours && ours->interval);
    const double low = expected.at("low");
    const double high = expected.at("high");
    expect_close(ours->value, expected.at("value"), 1e-12);
    EXPECT_NEAR(ours->interval->low, low, 0.02 * (high - low));
    EXPECT_NEAR(ours->interval->high, high, 0.02 * (high - low));
  }
}

}  // namespace
}  // namespace weighbridge::stats
