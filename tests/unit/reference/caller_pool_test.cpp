#include "reference/caller_pool.h"

#include <gtest/gtest.h>

namespace weighbridge::reference {
namespace {

class CallerPoolTest : public ::testing::Test {
 protected:
  CallerPool& pool() {
    if (!pool_) pool_ = std::make_unique<CallerPool>(settings_, stats_);
    return *pool_;
  }
  bool call(std::uint64_t caller, Instant now) {
    return pool().admit(caller, "tools/call", 0, now);
  }
  int served(std::uint64_t caller, std::string_view method, int tries, Instant now) {
    int count = 0;
    for (int i = 0; i < tries; ++i) count += pool().admit(caller, method, 4, now) ? 1 : 0;
    return count;
  }
  /// Asks for the caller's standing; what it was told is added to told_.
  void stand(std::uint64_t caller) {
    pool().stand(
        caller, Instant(1s), [this](CallerPool::OnStanding on) { asked_.push_back(std::move(on)); },
        [this](Standing standing) { told_.push_back(standing); });
  }

  CallerPool::Settings settings_;
  LimitStats stats_;
  std::unique_ptr<CallerPool> pool_;
  std::vector<CallerPool::OnStanding> asked_;
  std::vector<Standing> told_;
};

TEST_F(CallerPoolTest, ServesEverybodyWithoutALimit) {
  EXPECT_EQ(served(1, "tools/call", 10'000, Instant(1s)), 10'000);
  EXPECT_EQ(served(1, "tools/list", 100'000, Instant(1s)), 100'000);
}

TEST_F(CallerPoolTest, MetersEveryCallerByItself) {
  settings_.limit = {.rps = 10, .burst = 5};
  EXPECT_EQ(served(1, "tools/call", 20, Instant(1s)), 5);
  EXPECT_EQ(served(2, "resources/read", 20, Instant(1s)), 5);
  EXPECT_EQ(served(1, "tools/call", 20, Instant(2s)), 5);
  EXPECT_EQ(served(1, "ping", 100, Instant(1s)), 100);
  EXPECT_EQ(stats_.rate_limited, 45U);
}

TEST_F(CallerPoolTest, MetersListingsApartAtATenthOfTheRate) {
  settings_.limit = {.rps = 10, .burst = 5};
  EXPECT_EQ(served(1, "tools/list", 20, Instant(1s)), 5);
  EXPECT_EQ(served(1, "tools/call", 20, Instant(1s)), 5);
  EXPECT_EQ(served(1, "tools/list", 20, Instant(4s)), 3);
}

TEST_F(CallerPoolTest, LetsANoisyCallerStarveTheQuietWithOneBucketForAll) {
  settings_.limit = {.rps = 10, .burst = 5, .of_process = true};
  EXPECT_EQ(served(1, "tools/call", 20, Instant(1s)), 5);
  EXPECT_FALSE(call(2, Instant(1s)));
}

TEST_F(CallerPoolTest, MetersTheToolsThatAllListTogether) {
  settings_.limit = {.rps = 1000, .burst = 1000, .listed_rps = 8, .listed_burst = 40};
  EXPECT_EQ(served(1, "tools/list", 8, Instant(1s)), 8);
  EXPECT_EQ(served(2, "tools/list", 8, Instant(1s)), 2);
  EXPECT_EQ(served(3, "tools/list", 8, Instant(2s)), 2);
  EXPECT_EQ(served(3, "tools/call", 8, Instant(1s)), 8);
}

TEST_F(CallerPoolTest, LetsTheLeastRecentlyUsedGoWhenThereAreTooMany) {
  settings_.most = 2;
  settings_.limit = {.rps = 1, .burst = 1};
  EXPECT_TRUE(call(1, Instant(1s)));
  EXPECT_TRUE(call(2, Instant(1s)));
  EXPECT_FALSE(call(1, Instant(1s)));
  EXPECT_TRUE(call(3, Instant(1s)));
  EXPECT_EQ(pool().size(), 2U);
  EXPECT_FALSE(call(1, Instant(1s))) << "used after 2, so still there";
  EXPECT_TRUE(call(2, Instant(1s))) << "forgotten, so it begins anew";
  EXPECT_EQ(stats_.pool_evicted, 2U);
  EXPECT_EQ(stats_.pool_built, 4U);
}

TEST_F(CallerPoolTest, ForgetsWhoHasNotComeForTooLong) {
  settings_.idle_timeout = 10s;
  call(1, Instant(1s));
  call(2, Instant(5s));
  pool().sweep(Instant(12s));
  EXPECT_EQ(pool().size(), 1U);
  EXPECT_EQ(stats_.pool_expired, 1U);
  EXPECT_EQ(stats_.pool_entries, 1U);
}

TEST_F(CallerPoolTest, AsksOnceForAllWhoComeMeanwhile) {
  stand(1);
  stand(1);
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_TRUE(told_.empty());
  asked_[0](Standing::good);
  EXPECT_EQ(told_, (std::vector{Standing::good, Standing::good}));
  stand(1);
  EXPECT_EQ(told_.size(), 3U) << "known by now";
  EXPECT_EQ(asked_.size(), 1U);
}

TEST_F(CallerPoolTest, ForgetsAStandingThatIsNotGoodOnceItIsTold) {
  stand(1);
  asked_[0](Standing::refused);
  EXPECT_EQ(told_, (std::vector{Standing::refused}));
  EXPECT_EQ(pool().size(), 0U);
  stand(1);
  EXPECT_EQ(asked_.size(), 2U);
}

TEST_F(CallerPoolTest, SparesACallerForWhomOthersWait) {
  settings_.most = 2;
  stand(1);
  call(2, Instant(2s));
  call(3, Instant(3s));
  asked_[0](Standing::good);
  EXPECT_EQ(told_.size(), 1U);
}

}  // namespace
}  // namespace weighbridge::reference
