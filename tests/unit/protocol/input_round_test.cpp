#include "protocol/input_round.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace weighbridge::protocol {
namespace {

using nlohmann::json;

constexpr ClientCapabilities kElicitation{.elicitation = true};
constexpr std::string_view kAsksToConfirm =
    R"({"resultType":"input_required","requestState":"s\/ \u0041==","inputRequests":{"confirm":
       {"method":"elicitation/create","params":{"requestedSchema":{"properties":
       {"ok":{"type":"boolean","default":true}}}}}}})";

TEST(ResultType, IsCompleteWhereNoneIsGiven) {
  EXPECT_EQ(result_type(R"({"content":[]})"), "complete");
  EXPECT_EQ(result_type(R"({"resultType":"task"})"), "task");
}

TEST(NextRound, IsNoneForACompleteResult) {
  for (const char* result : {R"({"content":[]})", R"({"resultType":"complete"})"}) {
    const auto next = next_round("{}", result, kElicitation);
    ASSERT_TRUE(next);
    EXPECT_EQ(*next, std::nullopt);
  }
}

TEST(NextRound, CarriesTheAnswersAndTheStateByteForByte) {
  const auto next = next_round(R"({"name":"t","arguments":{"a":1}})", kAsksToConfirm, kElicitation);
  ASSERT_TRUE(next && *next);
  EXPECT_NE((*next)->find(R"("requestState":"s\/ \u0041==")"), std::string::npos) << **next;
  const json params = json::parse(**next);
  EXPECT_EQ(params["name"], "t");
  EXPECT_EQ(params["arguments"], json::parse(R"({"a":1})"));
  EXPECT_EQ(params["inputResponses"],
            json::parse(R"({"confirm":{"action":"accept","content":{"ok":true}}})"));
}

TEST(NextRound, LeavesOutAStateThatWasNotGivenAndForgetsTheLastRounds) {
  const auto next = next_round(
      R"({"name":"t","requestState":"old","inputResponses":{"old":{}}})",
      R"({"resultType":"input_required","inputRequests":{"again":{"method":"elicitation/create",
         "params":{"requestedSchema":{"properties":{}}}}}})",
      kElicitation);
  ASSERT_TRUE(next && *next);
  const json params = json::parse(**next);
  EXPECT_FALSE(params.contains("requestState"));
  EXPECT_EQ(params["inputResponses"].size(), 1U);
  EXPECT_TRUE(params["inputResponses"].contains("again"));
}

TEST(NextRound, ReturnsAStateAloneWithoutAnswers) {
  const auto next =
      next_round("{}", R"({"resultType":"input_required","requestState":"later"})", {});
  ASSERT_TRUE(next && *next);
  EXPECT_EQ(**next, R"({"requestState":"later"})");
}

TEST(NextRound, SaysWhatItCannotAnswer) {
  const auto undeclared = next_round("{}", kAsksToConfirm, {});
  ASSERT_FALSE(undeclared);
  EXPECT_NE(undeclared.error().what.find(R"(elicitation/create for "confirm")"), std::string::npos);
  const auto unknown = next_round("{}", R"({"resultType":"task","taskId":"1"})", kElicitation);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().what.find(R"("task")"), std::string::npos);
  EXPECT_FALSE(next_round("{}", R"({"resultType":"input_required"})", kElicitation));
}

}  // namespace
}  // namespace weighbridge::protocol
