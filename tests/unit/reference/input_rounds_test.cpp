#include "reference/input_rounds.h"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

namespace weighbridge::reference {
namespace {

using nlohmann::json;

constexpr std::array kFirst{InputRequest{"name", "elicitation/create", "elicitation", "{}"},
                            InputRequest{"roots", "roots/list", "roots", "{}"}};
constexpr std::array kSecond{InputRequest{"colour", "elicitation/create", "elicitation", "{}"}};
constexpr std::array<std::span<const InputRequest>, 1> kOneRound{kFirst};
constexpr std::array<std::span<const InputRequest>, 2> kTwoRounds{kFirst, kSecond};
constexpr InputPlan kPlain{.rounds = kOneRound, .with_state = false};
constexpr InputPlan kLong{.rounds = kTwoRounds, .with_state = true};

class InputRoundsTest : public ::testing::Test {
 protected:
  InputOutcome take(const InputPlan& plan, json params, Instant now = Instant(1s)) {
    params["name"] = "deploy";
    const auto input = reader_.read(
        json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/call"}, {"params", params}}.dump());
    return take_inputs(plan, (*input)->messages.front(), exchange_, states_, now);
  }
  static json asked(const InputOutcome& outcome) {
    if (!outcome.answer || !outcome.answer->input_required) return nullptr;
    return json::parse("{" + outcome.answer->members + "}");
  }
  static std::int64_t code(const InputOutcome& outcome) {
    return outcome.answer && outcome.answer->refusal ? outcome.answer->refusal->code : 0;
  }
  const json both_ = {{"name", {{"action", "accept"}}}, {"roots", json::object()}};
  protocol::ClientReader reader_;
  RequestState states_;
  Exchange exchange_{.principal = 7, .abilities = {.roots = true, .elicitation = true}};
};

TEST_F(InputRoundsTest, AskForEverythingAndTakeIt) {
  const auto first = asked(take(kPlain, json::object()));
  EXPECT_EQ(first["inputRequests"].size(), 2U);
  EXPECT_EQ(first["inputRequests"]["roots"]["method"], "roots/list");
  EXPECT_FALSE(first.contains("requestState"));
  const auto done = take(kPlain, {{"inputResponses", both_}});
  EXPECT_FALSE(done.answer);
  EXPECT_EQ(done.inputs.size(), 2U);
}

TEST_F(InputRoundsTest, AskAgainForWhatIsMissingAndIgnoreWhatNobodyAskedFor) {
  EXPECT_FALSE(asked(take(kPlain, {{"inputResponses", {{"wrong", json::object()}}}})).is_null());
  EXPECT_FALSE(
      asked(take(kPlain, {{"inputResponses", {{"name", 12345}, {"roots", {}}}}})).is_null());
  auto more = both_;
  more["extra"] = 1;
  EXPECT_FALSE(take(kPlain, {{"inputResponses", more}}).answer);
}

TEST_F(InputRoundsTest, RefuseInputsThatAreNoObject) {
  for (const auto& bad : {json(nullptr), json(7), json::array(), json("x")})
    EXPECT_EQ(code(take(kPlain, {{"inputResponses", bad}})), -32602) << bad;
}

TEST_F(InputRoundsTest, AskOnlyForWhatTheClientDeclared) {
  exchange_.abilities = {.roots = true};
  EXPECT_EQ(asked(take(kPlain, json::object()))["inputRequests"].size(), 1U);
  EXPECT_FALSE(take(kPlain, {{"inputResponses", {{"roots", json::object()}}}}).answer);
  exchange_.abilities = {};
  EXPECT_EQ(code(take(kPlain, json::object())), -32021);
  EXPECT_EQ(code(take(kPlain, {{"inputResponses", both_}})), -32021);
}

TEST_F(InputRoundsTest, GoOnFromRoundToRoundByTheState) {
  const auto first = asked(take(kLong, json::object()));
  const auto second =
      asked(take(kLong, {{"inputResponses", both_}, {"requestState", first["requestState"]}}));
  EXPECT_TRUE(second["inputRequests"].contains("colour"));
  EXPECT_NE(second["requestState"], first["requestState"]);
  const json colour{{"colour", json::object()}};
  EXPECT_FALSE(
      take(kLong, {{"inputResponses", colour}, {"requestState", second["requestState"]}}).answer);
  EXPECT_TRUE(asked(take(kLong, {{"inputResponses", colour},
                                 {"requestState", first["requestState"]}}))["inputRequests"]
                  .contains("name"))
      << "an earlier state leads back";
}

TEST_F(InputRoundsTest, BeginAnewWithoutTheState) {
  EXPECT_TRUE(asked(take(kLong, {{"inputResponses", both_}}))["inputRequests"].contains("name"));
}

TEST_F(InputRoundsTest, RefuseAStateThatIsNotTheirs) {
  const std::string state = asked(take(kLong, json::object()))["requestState"];
  const auto with = [&](const json& given, Instant now = Instant(1s)) {
    return code(take(kLong, {{"inputResponses", both_}, {"requestState", given}}, now));
  };
  EXPECT_EQ(with(state + "-TAMPERED"), -32602);
  for (const auto& bad : {json(""), json(7), json(nullptr), json::object(), json("1.MQ==.AAAA")})
    EXPECT_EQ(with(bad), -32602) << bad;
  EXPECT_EQ(with(state, Instant(2s) + RequestState::kLifetime), -32602);
  exchange_.principal = 8;
  EXPECT_EQ(with(state), -32602) << "it was given to another caller";
}

}  // namespace
}  // namespace weighbridge::reference
