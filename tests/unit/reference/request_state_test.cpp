#include "reference/request_state.h"

#include <gtest/gtest.h>

namespace weighbridge::reference {
namespace {

constexpr RequestState::Bound kMine{.request = "tools/call deploy", .principal = 7};
constexpr Instant kNow{1000s};

class RequestStateTest : public ::testing::Test {
 protected:
  RequestState states_;
  std::string sealed_ = states_.seal("round 1", kMine, kNow);
};

TEST_F(RequestStateTest, ComesBackAsItWasGiven) {
  EXPECT_EQ(states_.open(sealed_, kMine, kNow + 1s), "round 1");
  EXPECT_EQ(states_.open(states_.seal("", kMine, kNow), kMine, kNow), "");
  const std::string binary("\0.\xff", 3);
  EXPECT_EQ(states_.open(states_.seal(binary, kMine, kNow), kMine, kNow), binary);
}

TEST_F(RequestStateTest, IsWorthNothingOnceAnyByteOfItWasChanged) {
  for (std::size_t i = 0; i < sealed_.size(); ++i) {
    auto changed = sealed_;
    changed[i] = changed[i] == '0' ? '1' : '0';
    EXPECT_EQ(states_.open(changed, kMine, kNow), std::nullopt) << i;
  }
  EXPECT_EQ(states_.open(sealed_ + "-TAMPERED", kMine, kNow), std::nullopt);
}

TEST_F(RequestStateTest, CannotBeMadeUp) {
  for (const auto* text : {"", ".", "..", "a.b.c", "1000.cm91bmQ.", "....", "\0.\0."})
    EXPECT_EQ(states_.open(text, kMine, kNow), std::nullopt) << text;
  EXPECT_EQ(states_.open(std::string(1 << 20, '.'), kMine, kNow), std::nullopt);
}

TEST_F(RequestStateTest, IsGoodForItsOwnRequestAndCallerOnly) {
  EXPECT_EQ(states_.open(sealed_, {"tools/call destroy", 7}, kNow), std::nullopt);
  EXPECT_EQ(states_.open(sealed_, {"tools/call deploy", 8}, kNow), std::nullopt);
}

TEST_F(RequestStateTest, EndsWithItsTime) {
  EXPECT_TRUE(states_.open(sealed_, kMine, kNow + RequestState::kLifetime));
  EXPECT_FALSE(states_.open(sealed_, kMine, kNow + RequestState::kLifetime + 1ns));
}

TEST_F(RequestStateTest, EndsWithItsProcess) {
  EXPECT_EQ(RequestState().open(sealed_, kMine, kNow), std::nullopt);
}

}  // namespace
}  // namespace weighbridge::reference
