#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "modes/assemble_load.h"

namespace weighbridge::modes {
namespace {

using record::DoubtKind;

record::LoadStep sound_step() {
  record::LoadStep step;
  step.sent = step.served = 10'000;
  step.latency = record::Latency{.count = 10'000, .p50_ms = 10, .p99_ms = 20};
  step.lateness = record::Latency{.count = 10'000, .p50_ms = 0.001, .p99_ms = 0.1};
  step.weather_before = step.weather_after = record::WeatherReading{0.01, 2};
  step.driver.busy_share = 0.5;
  step.driver.littles_law = 1.01;
  return step;
}

std::vector<DoubtKind> kinds(const record::LoadStep& step) {
  std::vector<DoubtKind> found;
  for (const record::Doubt& doubt : load_doubts("http, 100/s", step)) {
    EXPECT_EQ(doubt.where, "http, 100/s");
    EXPECT_FALSE(doubt.message.empty());
    EXPECT_FALSE(doubt.advice.empty());
    found.push_back(doubt.kind);
  }
  return found;
}

TEST(LoadGuards, FindNothingInASoundStep) {
  EXPECT_THAT(kinds(sound_step()), testing::IsEmpty());
}

TEST(LoadGuards, BlameTheDriverForWhatIsTheDrivers) {
  for (const auto& spoil : std::vector<std::function<void(record::LoadStep&)>>{
           [](auto& step) { step.driver.busy_share = 0.81; },
           [](auto& step) { step.lateness->p99_ms = 1.01; },
           [](auto& step) { step.slot_wait = record::Latency{.count = 101, .max_ms = 5}; },
           [](auto& step) { step.driver.littles_law = 1.06; },
           [](auto& step) { step.driver.littles_law = 0.94; }}) {
    record::LoadStep step = sound_step();
    spoil(step);
    EXPECT_THAT(kinds(step), testing::ElementsAre(DoubtKind::driver_limited));
  }
}

TEST(LoadGuards, TakeTheLongestLatenessWhereThereAreTooFewForAPercentile) {
  record::LoadStep step = sound_step();
  step.lateness->p99_ms.reset();
  step.lateness->max_ms = 2;
  EXPECT_THAT(kinds(step), testing::ElementsAre(DoubtKind::driver_limited));
}

TEST(LoadGuards, BlameTheHostForItsWeather) {
  for (const auto& spoil : std::vector<std::function<void(record::LoadStep&)>>{
           [](auto& step) { step.weather_before->lost_share = 0.02; },
           [](auto& step) { step.weather_after->worst_gap_ms = 20.1; },
           [](auto& step) { step.driver.waited_share = 0.02; }}) {
    record::LoadStep step = sound_step();
    spoil(step);
    EXPECT_THAT(kinds(step), testing::ElementsAre(DoubtKind::noisy_host));
  }
}

TEST(LoadGuards, SayWhatWasNotServedAndWhatWasNotSent) {
  record::LoadStep step = sound_step();
  step.failed = 3;
  step.sent += 3;
  step.troubles = {{"failed", "tools/call", 3, "HTTP 500: oops"}};
  step.missed = 4;
  const auto doubts = load_doubts("", step);
  ASSERT_EQ(doubts.size(), 2U);
  EXPECT_EQ(doubts[0].message,
            "of 10003 calls 10000 were served, 0 refused, 3 failed, 0 hung; first: HTTP 500: oops");
  EXPECT_EQ(doubts[1].kind, DoubtKind::outcomes_mixed);
  step = {};
  step.sent = step.refused = 5;
  EXPECT_THAT(kinds(step), testing::ElementsAre(DoubtKind::nothing_served));
}

TEST(LoadGuards, SayWhenThereAreTooFewForAP99) {
  record::LoadStep step = sound_step();
  step.sent = step.served = 99;
  EXPECT_THAT(kinds(step), testing::ElementsAre(DoubtKind::too_few_samples));
}

}  // namespace
}  // namespace weighbridge::modes
