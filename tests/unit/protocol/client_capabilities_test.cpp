#include "protocol/client_capabilities.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace weighbridge::protocol {
namespace {

using nlohmann::json;

constexpr ClientCapabilities kBoth{.elicitation = true, .roots = true};

TEST(ClientCapabilities, AreNoneUnlessTold) {
  EXPECT_EQ(render({}), "{}");
  EXPECT_EQ(render(kBoth), R"({"elicitation":{},"roots":{}})");
}

TEST(ClientCapabilities, AnswerOnlyWhatWasDeclared) {
  EXPECT_EQ(answer_for({}, "roots/list", ""), std::nullopt);
  EXPECT_EQ(answer_for({}, "elicitation/create", "{}"), std::nullopt);
  EXPECT_EQ(answer_for(kBoth, "roots/list", ""), R"({"roots":[]})");
  EXPECT_EQ(answer_for(kBoth, "sampling/createMessage", "{}"), std::nullopt);
}

TEST(ElicitDefaults, AcceptsWithTheDefaultOfEveryPropertyThatHasOne) {
  const json answer = json::parse(elicit_defaults(
      R"({"message":"m","requestedSchema":{"type":"object","properties":{
          "name":{"type":"string","default":"J\"D"},"age":{"type":"integer","default":42},
          "sure":{"type":"boolean","default":false},"other":{"type":"string"}},"required":["age"]}})"));
  EXPECT_EQ(answer,
            json::parse(R"({"action":"accept","content":{"name":"J\"D","age":42,"sure":false}})"));
}

TEST(ElicitDefaults, DeclinesWhatItCannotFillIn) {
  for (const char* params :
       {R"({"requestedSchema":{"properties":{"a":{"type":"string"}},"required":["a"]}})",
        R"({"mode":"url","url":"http://x"})", R"({"message":"no schema"})", "nonsense"})
    EXPECT_EQ(elicit_defaults(params), R"({"action":"decline"})") << params;
}

TEST(ElicitDefaults, AcceptsAnEmptyFormWhenNothingIsRequired) {
  EXPECT_EQ(elicit_defaults(R"({"requestedSchema":{"properties":{"a":{"type":"boolean"}}}})"),
            R"({"action":"accept","content":{}})");
}

}  // namespace
}  // namespace weighbridge::protocol
