#include "reference/weigher.h"

#include <gtest/gtest.h>

#include "os/real_clock.h"
#include "support.h"

namespace weighbridge::reference {
namespace {

using nlohmann::json;

class WeigherTest : public ::testing::Test {
 protected:
  Weigher& weigher() {
    if (!weigher_) weigher_ = std::make_unique<Weigher>(*poller_, plan_, stats_, Instant{});
    return *weigher_;
  }
  json told(const char* what) { return json::parse(stats_.render())[what]; }
  void wait_until(const std::function<bool()>& done) {
    EXPECT_TRUE(poller_->run_until(done, os::now() + 10s));
  }

  WeightPlan plan_;
  WeightStats stats_;
  std::unique_ptr<os::Poller> poller_ = std::move(*os::Poller::create());
  std::unique_ptr<Weigher> weigher_;
};

TEST_F(WeigherTest, CostsNothingUnlessTold) {
  weigher().start();
  weigher().weigh_request(true);
  weigher().weigh_listing();
  EXPECT_EQ(weigher().weigh_call({}), nullptr);
  EXPECT_EQ(weigher().burden_of_session(), nullptr);
  EXPECT_EQ(weigher().burden_of_connection(), nullptr);
  EXPECT_EQ(weigher().delay_of({}), std::nullopt);
  EXPECT_EQ(stats_.render(), WeightStats{}.render());
}

TEST_F(WeigherTest, PaysTheStartOnce) {
  plan_.start_delay = 20ms;
  plan_.start_cpu = 3ms;
  plan_.process_bytes = 100'000;
  const Instant begin = os::now();
  weigher().start();
  EXPECT_GE(os::now() - begin, 23ms);
  EXPECT_GE(stats_.start_delay, 20ms);
  EXPECT_GE(stats_.start_cpu, 3ms);
  EXPECT_EQ(told("memory")["process"]["bytes"], 100'000);
}

TEST_F(WeigherTest, TakesAPeakAndGivesItBackAfterItsTime) {
  const Instant begin = os::now();
  weigher().weigh_call({.peak = {.bytes = 1 << 20U, .time = {}}});
  EXPECT_EQ(stats_.held_bytes(), 1U << 20U);
  wait_until([&] { return stats_.held_bytes() == 0; });
  EXPECT_GE(os::now() - begin, kPeakTime);
  EXPECT_EQ(told("memory")["most_held_bytes"], 1 << 20);
}

TEST_F(WeigherTest, LeaksForEverOrForATime) {
  weigher().weigh_call({.leak = {.bytes = 4096, .time = {}}});
  weigher().weigh_call({.leak = {.bytes = 8192, .time = 10ms}});
  EXPECT_EQ(told("memory")["leak"]["bytes"], 12288);
  wait_until([&] { return stats_.held_bytes() == 4096; });
  poller_->run_once(os::now() + 30ms);
  EXPECT_EQ(told("memory")["leak"], json::parse(R"({"taken":2,"bytes":4096})"));
}

TEST_F(WeigherTest, HoldsForASessionUntilItEnds) {
  plan_.session_bytes = 10'000;
  plan_.session_things.descriptors = 2;
  auto burden = weigher().burden_of_session();
  EXPECT_EQ(told("memory")["session"]["bytes"], 12288) << "whole pages";
  EXPECT_EQ(stats_.descriptors.held, 2U);
  burden.reset();
  EXPECT_EQ(told("memory")["session"]["bytes"], 0);
  EXPECT_EQ(stats_.descriptors.held, 0U);
}

TEST_F(WeigherTest, KeepsWhatAnAbandonedSessionHeldOnlyIfThatIsTheWeight) {
  plan_.connection_bytes = 4096;
  weigher().session_abandoned(weigher().burden_of_connection());
  EXPECT_EQ(stats_.held_bytes(), 0U);
  plan_.leak_abandoned = true;
  weigher().session_abandoned(weigher().burden_of_connection());
  EXPECT_EQ(stats_.held_bytes(), 4096U);
}

TEST_F(WeigherTest, PrefersACallsOwnDelayToTheUsualOne) {
  plan_.delay = "7ms";
  EXPECT_EQ(weigher().delay_of({}), Duration(7ms));
  EXPECT_EQ(weigher().delay_of({.delay = 3ms}), Duration(3ms));
}

TEST_F(WeigherTest, SharesATextOfOneSize) {
  const auto first = weigher().text_of(5);
  EXPECT_EQ(*first, "xxxxx");
  EXPECT_EQ(weigher().text_of(5), first);
  EXPECT_EQ(weigher().text_of(2)->size(), 2U);
}

}  // namespace
}  // namespace weighbridge::reference
