#include "protocol/tool_headers.h"

#include <gtest/gtest.h>

namespace weighbridge::protocol {
namespace {

std::string trouble(std::string_view schema) {
  const auto headers = read_tool_headers(schema);
  return headers ? "" : headers.error().what;
}
std::string written(const std::vector<HeaderField>& fields) {
  std::string text;
  for (const HeaderField& field : fields) text += field.name + ": " + field.value + "\n";
  return text;
}

TEST(ToolHeaders, AreFoundWhereverPropertiesAloneLead) {
  const auto headers = read_tool_headers(
      R"({"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},
          "deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}},
          "plain":{"type":"string"}}})");
  ASSERT_TRUE(headers) << headers.error().what;
  ASSERT_EQ(headers->size(), 2U);
  EXPECT_EQ(headers->at(0).name, "Mcp-Param-Region");
  EXPECT_EQ(headers->at(0).path, std::vector<std::string>{"region"});
  EXPECT_EQ(headers->at(1).path, (std::vector<std::string>{"deep", "n"}));
}

TEST(ToolHeaders, AreNotLookedForInData) {
  const auto headers = read_tool_headers(
      R"({"properties":{"x-mcp-header":{"type":"string"},
          "a":{"type":"object","default":{"x-mcp-header":""},"examples":[{"x-mcp-header":1}]}}})");
  ASSERT_TRUE(headers) << headers.error().what;
  EXPECT_TRUE(headers->empty());
}

TEST(ToolHeaders, RefuseEveryInvalidAnnotation) {
  const auto property = [](const std::string& type, const std::string& name) {
    return R"({"properties":{"p":{"type":)" + type + R"(,"x-mcp-header":)" + name + "}}}";
  };
  for (const char* name : {R"("")", R"("My Region")", R"("A:B")", R"("Région")", R"("A\tB")", "7"})
    EXPECT_FALSE(trouble(property(R"("string")", name)).empty()) << name;
  for (const char* type :
       {R"("object")", R"("array")", R"("null")", R"("number")", R"(["string","null"])"})
    EXPECT_FALSE(trouble(property(type, R"("Region")")).empty()) << type;
  EXPECT_FALSE(trouble(R"({"properties":{"a":{"type":"string","x-mcp-header":"MyField"},
                           "b":{"type":"string","x-mcp-header":"myfield"}}})")
                   .empty());
  for (const char* elsewhere :
       {R"({"properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}})",
        R"({"anyOf":[{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}]})",
        R"({"$defs":{"a":{"type":"string","x-mcp-header":"A"}}})",
        R"({"type":"string","x-mcp-header":"A"})"})
    EXPECT_FALSE(trouble(elsewhere).empty()) << elsewhere;
}

TEST(ToolHeaders, CarryTheValuesOfACall) {
  const auto headers = read_tool_headers(
      R"({"properties":{"s":{"type":"string","x-mcp-header":"S"},"i":{"type":"integer","x-mcp-header":"I"},
          "b":{"type":"boolean","x-mcp-header":"B"},"o":{"type":"object","properties":
          {"s":{"type":"string","x-mcp-header":"Deep"}}}}})");
  ASSERT_TRUE(headers);
  EXPECT_EQ(
      written(headers_of_call(*headers, R"({"s":"us-west1","i":-42,"b":true,"o":{"s":"x"}})")),
      "Mcp-Param-S: us-west1\nMcp-Param-I: -42\nMcp-Param-B: true\nMcp-Param-Deep: x\n");
  EXPECT_EQ(written(headers_of_call(*headers, R"({"s":null,"o":{}})")), "");
  EXPECT_EQ(written(headers_of_call(*headers, R"({"s":" a ","i":4.2e1})")),
            "Mcp-Param-S: =?base64?IGEg?=\nMcp-Param-I: 42\n");
  EXPECT_EQ(written(headers_of_call(*headers, R"({"s":"é\n"})")), "Mcp-Param-S: =?base64?w6kK?=\n");
}

}  // namespace
}  // namespace weighbridge::protocol
