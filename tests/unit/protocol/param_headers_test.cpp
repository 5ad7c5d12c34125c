#include "protocol/param_headers.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

namespace weighbridge::protocol {
namespace {

constexpr std::array kAnnotated{ParamHeader{.param = "region", .header = "Mcp-Param-Region"},
                                ParamHeader{.param = "count", .header = "Mcp-Param-Count"},
                                ParamHeader{.param = "dry", .header = "Mcp-Param-Dry"}};

using Sent = std::map<std::string, std::string, std::less<>>;

/// The code of the refusal, 0 when there is none.
std::int64_t check(const std::string& arguments, const Sent& sent) {
  simdjson::dom::parser parser;
  const simdjson::dom::object object = parser.parse(arguments).get_object();
  const RequestHeaders headers{.find = [&](std::string_view name) {
    const auto found = sent.find(name);
    return found == sent.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  }};
  const auto refusal = check_param_headers(kAnnotated, &object, headers);
  if (!refusal) return 0;
  EXPECT_EQ(refusal->http_status, 400);
  return refusal->code;
}

TEST(ParamHeaders, RepeatTheArguments) {
  EXPECT_EQ(
      check(R"({"region":"eu","count":7,"dry":true})",
            {{"Mcp-Param-Region", "eu"}, {"Mcp-Param-Count", "7"}, {"Mcp-Param-Dry", "true"}}),
      0);
  EXPECT_EQ(check("{}", {}), 0);
}

TEST(ParamHeaders, MayBeEncoded) {
  EXPECT_EQ(check(R"({"region":"Hello"})", {{"Mcp-Param-Region", "=?base64?SGVsbG8=?="}}), 0);
  EXPECT_EQ(check(R"({"region":"=?base64?x"})", {{"Mcp-Param-Region", "=?base64?x"}}), 0);
  EXPECT_EQ(check(R"({"region":"Hello"})", {{"Mcp-Param-Region", "=?base64?SGVsbG8?="}}), -32020);
}

TEST(ParamHeaders, AreComparedAsNumbersWhereTheyAreNumbers) {
  EXPECT_EQ(check(R"({"count":7})", {{"Mcp-Param-Count", "007"}}), 0);
  EXPECT_EQ(check(R"({"count":7})", {{"Mcp-Param-Count", "8"}}), -32020);
  EXPECT_EQ(check(R"({"count":7})", {{"Mcp-Param-Count", "7x"}}), -32020);
  EXPECT_EQ(check(R"({"count":7})", {{"Mcp-Param-Count", ""}}), -32020);
}

TEST(ParamHeaders, MustBeThereWhenTheArgumentIsAndNotOtherwise) {
  EXPECT_EQ(check(R"({"region":"eu"})", {}), -32020);
  EXPECT_EQ(check(R"({})", {{"Mcp-Param-Region", "eu"}}), -32020);
  EXPECT_EQ(check(R"({"region":null})", {}), 0);
  EXPECT_EQ(check(R"({"region":null})", {{"Mcp-Param-Region", "null"}}), -32020);
}

TEST(ParamHeaders, CannotRepeatWhatHasNoFormInAHeader) {
  EXPECT_EQ(check(R"({"region":["eu"]})", {{"Mcp-Param-Region", "eu"}}), -32020);
  EXPECT_EQ(check(R"({"dry":false})", {{"Mcp-Param-Dry", "False"}}), -32020);
}

TEST(ParamHeaders, AreNotLookedForWhereNobodyCanFindThem) {
  EXPECT_FALSE(check_param_headers({}, nullptr, {}));
  EXPECT_FALSE(check_param_headers(kAnnotated, nullptr, {})) << "no arguments, no headers";
}

}  // namespace
}  // namespace weighbridge::protocol
