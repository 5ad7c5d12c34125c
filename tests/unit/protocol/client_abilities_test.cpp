#include "protocol/client_abilities.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace weighbridge::protocol {
namespace {

class ClientAbilitiesTest : public ::testing::Test {
 protected:
  ClientAbilities declared(const std::string& method, const std::string& params) {
    const auto input = reader_.read(R"({"jsonrpc":"2.0","id":1,"method":")" + method +
                                    R"(","params":)" + params + "}");
    EXPECT_TRUE(input) << params;
    return declared_abilities((*input)->messages.front());
  }
  ClientReader reader_;
};

TEST_F(ClientAbilitiesTest, AreDeclaredByInitialize) {
  const auto abilities =
      declared("initialize", R"({"capabilities":{"sampling":{},"roots":{"listChanged":true}}})");
  EXPECT_TRUE(abilities.has("sampling"));
  EXPECT_TRUE(abilities.has("roots"));
  EXPECT_FALSE(abilities.has("elicitation"));
  EXPECT_FALSE(abilities.has("anything else"));
}

TEST_F(ClientAbilitiesTest, AreDeclaredByEveryStatelessRequest) {
  EXPECT_TRUE(declared("tools/call", R"({"_meta":{"io.modelcontextprotocol/clientCapabilities":)"
                                     R"({"elicitation":{}}}})")
                  .elicitation);
  EXPECT_FALSE(declared("tools/call", R"({"capabilities":{"elicitation":{}}})").elicitation);
}

TEST_F(ClientAbilitiesTest, AreNoneWhereTheDeclarationIsNoObject) {
  for (const auto* capabilities : {"7", "null", "[]", R"("sampling")", R"({"sampling":true})"})
    EXPECT_FALSE(
        declared("initialize", std::string(R"({"capabilities":)") + capabilities + "}").sampling)
        << capabilities;
}

TEST(MissingAbility, NamesWhatTheClientWouldHaveToDeclare) {
  const auto refusal = missing_ability("sampling");
  EXPECT_EQ(refusal.code, -32021);
  EXPECT_EQ(refusal.http_status, 400);
  EXPECT_EQ(nlohmann::json::parse(refusal.data),
            nlohmann::json::parse(R"({"requiredCapabilities":{"sampling":{}}})"));
}

TEST(LogLevels, HaveAnOrderAndNames) {
  EXPECT_EQ(find_log_level("warning"), LogLevel::warning);
  EXPECT_EQ(find_log_level("loud"), std::nullopt);
  EXPECT_EQ(find_log_level(""), std::nullopt);
  EXPECT_LT(LogLevel::debug, LogLevel::info);
  EXPECT_LT(LogLevel::alert, LogLevel::emergency);
  EXPECT_EQ(to_string(LogLevel::emergency), "emergency");
}

}  // namespace
}  // namespace weighbridge::protocol
