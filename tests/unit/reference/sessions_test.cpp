#include "reference/sessions.h"

#include <gtest/gtest.h>

#include <set>

namespace weighbridge::reference {
namespace {

class SessionsTest : public ::testing::Test {
 protected:
  static std::shared_ptr<Conversation> talk() {
    return std::make_shared<Conversation>(Conversation{.era = &protocol::newest_handshake_era()});
  }
  Stats stats_{Instant{}};
  Sessions sessions_{stats_};
};

TEST_F(SessionsTest, AreFoundByTheirOwnCredentialOnly) {
  const auto id = sessions_.open(talk(), 7, Instant(1s));
  ASSERT_NE(sessions_.find(id, 7, Instant(2s)), nullptr);
  EXPECT_EQ(sessions_.find(id, 7, Instant(2s))->conversation->era,
            &protocol::newest_handshake_era());
  EXPECT_EQ(sessions_.find(id, 8, Instant(2s)), nullptr);
  EXPECT_EQ(sessions_.find("made up", 7, Instant(2s)), nullptr);
}

TEST_F(SessionsTest, HaveIdsThatNobodyCanGuess) {
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) ids.insert(sessions_.open(talk(), 1, Instant{}));
  EXPECT_EQ(ids.size(), 100U);
  for (const auto& id : ids) EXPECT_EQ(id.size(), 32U);
}

TEST_F(SessionsTest, EndWhenTheirClientSaysSo) {
  const auto id = sessions_.open(talk(), 7, Instant{});
  EXPECT_FALSE(sessions_.close(id, 8));
  EXPECT_TRUE(sessions_.close(id, 7));
  EXPECT_FALSE(sessions_.close(id, 7));
  EXPECT_EQ(stats_.sessions_opened, 1U);
  EXPECT_EQ(stats_.sessions_closed, 1U);
}

TEST_F(SessionsTest, EndWhenTheyWereNotUsedForTooLong) {
  const auto idle = sessions_.open(talk(), 1, Instant(10s));
  const auto busy = sessions_.open(talk(), 1, Instant(10s));
  sessions_.find(busy, 1, Instant(30s));
  sessions_.expire_unused_since(Instant(20s));
  EXPECT_EQ(sessions_.find(idle, 1, Instant(31s)), nullptr);
  EXPECT_NE(sessions_.find(busy, 1, Instant(31s)), nullptr);
  EXPECT_EQ(stats_.sessions_expired, 1U);
}

TEST_F(SessionsTest, LetGoOfWhatTheyHoldOrHandItBackWhenNobodyEndedThem) {
  const auto first = std::make_shared<int>(1);
  const auto second = std::make_shared<int>(2);
  const auto id = sessions_.open(talk(), 1, Instant(1s), first);
  sessions_.open(talk(), 1, Instant(1s), second);
  sessions_.close(id, 1);
  EXPECT_EQ(first.use_count(), 1);
  const auto held = sessions_.expire_unused_since(Instant(2s));
  ASSERT_EQ(held.size(), 1U);
  EXPECT_EQ(held[0], second);
}

}  // namespace
}  // namespace weighbridge::reference
