#include "load/reply_check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "load/detail/quick_look.h"

namespace weighbridge::load {
namespace {

using protocol::Outcome;

class Checked : public testing::Test {
 protected:
  protocol::Verdict check(std::string_view message, bool whole = false,
                          std::string_view nonce = {}) {
    ReplyCheck check(operation_, *era_, refusals_);
    detail::MessageText text;
    text.begin(false);
    text.push(message);
    return check.check(
        {.http_status = 200,
         .text = text,
         .plain_id = detail::id_of_plain_answer({text.head(), text.tail()}, check.wants_complete()),
         .expected_id = "7",
         .nonce = nonce},
        whole);
  }
  protocol::Verdict judged(std::string_view message) const {
    return protocol::judge({.http_status = 200,
                            .message = message,
                            .expected_id = "7",
                            .tool_call = operation_.is_tool_call()},
                           operation_.expect, refusals_);
  }

  Checked() { operation_.method = "tools/call"; }

  Operation operation_;
  const protocol::Era* era_ = &protocol::newest_handshake_era();
  std::vector<protocol::RefusalRule> refusals_;
};

/// Messages right and wrong, in many spellings.
std::string random_message(Random& random) {
  static constexpr const char* kIds[] = {"7", "7", "7", "8", "\"7\"", "null", "70"};
  static constexpr const char* kResults[] = {
      "{}",
      R"({"content":[{"type":"text","text":"hi"}],"isError":false})",
      R"({"content":[{"type":"text","text":"an \"error\" and \"isError\":true"}]})",
      R"({"isError":true,"content":[]})",
      R"({"structuredContent":{"error":null,"id":7},"isError": false})",
      R"({"resultType":"complete"})",
      R"({"resultType":"input_required"})",
      R"({"nested":{"isError":true}})",
      R"([1,2])",
      R"("text")",
      R"({"unended":)"};
  const auto space = [&] { return random.below(4) == 0 ? " " : ""; };
  std::vector<std::string> members;
  if (random.below(20) != 0)
    members.push_back(fmt::format("\"jsonrpc\"{}:{}\"2.0\"", space(), space()));
  if (random.below(20) != 0)
    members.push_back(fmt::format("\"id\":{}{}", space(), kIds[random.below(std::size(kIds))]));
  if (random.below(20) != 0)
    members.push_back(
        fmt::format("\"result\"{}:{}", space(), kResults[random.below(std::size(kResults))]));
  if (random.below(20) == 0) members.emplace_back(R"("error":{"code":-1,"message":"no"})");
  if (random.below(20) == 0) members.emplace_back(R"("method":"ping")");
  if (random.below(20) == 0) members.emplace_back(R"("extra":[1])");
  for (std::size_t i = members.size(); i > 1; --i)
    std::swap(members[i - 1], members[random.below(i)]);
  return fmt::format("{}{{{}}}{}", space(), fmt::join(members, fmt::format("{},", space())),
                     space());
}

TEST_F(Checked, AgreesWithTheJudgeOnWhateverComes) {
  Random random(5);
  std::map<Outcome, int> seen;
  for (const protocol::Revision revision :
       {protocol::Revision::v2025_11_25, protocol::Revision::v2026_07_28}) {
    era_ = &protocol::era(revision);
    for (int i = 0; i < 50'000; ++i) {
      const std::string message = random_message(random);
      // Only the era without handshake has results that are not complete.
      if (era_->handshake && message.find("input_required") != std::string::npos) continue;
      if (message.find("unended") != std::string::npos) continue;  // needs the whole parse
      const Outcome outcome = check(message).outcome;
      ASSERT_EQ(outcome, judged(message).outcome) << message;
      ++seen[outcome];
    }
  }
  EXPECT_GT(seen[Outcome::served], 5000);
  EXPECT_GT(seen[Outcome::failed], 5000);
}

TEST_F(Checked, AgreesWithTheJudgeOnRefusalsAndExpectations) {
  Random random(6);
  refusals_.emplace_back().text_prefix = "hi";
  for (int i = 0; i < 20'000; ++i) {
    const std::string message = random_message(random);
    if (message.find("unended") != std::string::npos) continue;
    ASSERT_EQ(check(message).outcome, judged(message).outcome) << message;
  }
  refusals_.clear();
  operation_.expect.contains = "content";
  operation_.expect.max_bytes = 90;
  for (int i = 0; i < 20'000; ++i) {
    const std::string message = random_message(random);
    if (message.find("unended") != std::string::npos || message.find("input_") != std::string::npos)
      continue;
    ASSERT_EQ(check(message).outcome, judged(message).outcome) << message;
  }
}

TEST_F(Checked, SeesBrokenJsonWhereItIsParsedWhole) {
  const std::string broken = R"({"jsonrpc":"2.0","id":7,"result":{"a":[1,2}})";
  EXPECT_EQ(check(broken, /*whole=*/true).outcome, Outcome::failed);
}

TEST_F(Checked, LooksForTheNonceInEveryReplyOfOrdinaryLength) {
  const std::string reply = R"({"jsonrpc":"2.0","id":7,"result":{"text":"0123456789abcdef"}})";
  EXPECT_EQ(check(reply, false, "0123456789abcdef").outcome, Outcome::served);
  const auto crossed = check(reply, false, "fedcba9876543210");
  EXPECT_EQ(crossed.outcome, Outcome::failed);
  EXPECT_THAT(crossed.reason, testing::HasSubstr("another call"));
}

TEST_F(Checked, FollowsAPointerInRepliesThatAreParsedWhole) {
  operation_.expect.pointer = "/items";
  operation_.expect.count = 2;
  const std::string two = R"({"jsonrpc":"2.0","id":7,"result":{"items":[1,2]}})";
  const std::string three = R"({"jsonrpc":"2.0","id":7,"result":{"items":[1,2,3]}})";
  EXPECT_EQ(check(two, true).outcome, Outcome::served);
  EXPECT_EQ(check(three, true).outcome, Outcome::failed);
  EXPECT_EQ(check(three, false).outcome, Outcome::served)
      << "what is seldom checked is in the record";
}

}  // namespace
}  // namespace weighbridge::load
