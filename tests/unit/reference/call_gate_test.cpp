#include "reference/call_gate.h"

#include <gtest/gtest.h>

#include <vector>

#include "os/real_clock.h"

namespace weighbridge::reference {
namespace {

class CallGateTest : public ::testing::Test {
 protected:
  void run() {
    for (int i = 0; i < 3; ++i) poller_->run_once(os::now());
  }
  CallGate::Waiter queue(CallGate& gate, int name) {
    return gate.wait([this, name](CallGate::Place place) {
      inside_.push_back(name);
      places_.push_back(std::move(place));
    });
  }

  WeightStats stats_;
  std::unique_ptr<os::Poller> poller_ = std::move(*os::Poller::create());
  CallGate gate_{*poller_, 2, stats_};
  std::vector<int> inside_;
  std::vector<CallGate::Place> places_;
};

TEST_F(CallGateTest, WithoutALimitLetsEverybodyIn) {
  CallGate gate(*poller_, 0, stats_);
  const auto one = gate.enter();
  EXPECT_TRUE(gate.is_open());
}

TEST_F(CallGateTest, LetsTheNextInWhenOneGoesInTheOrderInWhichTheyCame) {
  auto one = gate_.enter();
  auto two = gate_.enter();
  EXPECT_FALSE(gate_.is_open());
  queue(gate_, 3);
  queue(gate_, 4);
  run();
  EXPECT_TRUE(inside_.empty());
  one.reset();
  EXPECT_FALSE(gate_.is_open()) << "the one who waits goes first";
  run();
  EXPECT_EQ(inside_, std::vector({3}));
  two.reset();
  run();
  EXPECT_EQ(inside_, std::vector({3, 4}));
  places_.clear();
  EXPECT_TRUE(gate_.is_open());
  EXPECT_EQ(stats_.queued.count, 2U);
  EXPECT_EQ(stats_.most_queued, 2U);
}

TEST_F(CallGateTest, ForgetsWhoDoesNotWaitAnyMore) {
  auto one = gate_.enter();
  auto two = gate_.enter();
  const auto waiter = queue(gate_, 3);
  queue(gate_, 4);
  gate_.leave(waiter);
  one.reset();
  run();
  EXPECT_EQ(inside_, std::vector({4}));
}

}  // namespace
}  // namespace weighbridge::reference
