#include "protocol/tool.h"

#include <gtest/gtest.h>

#include <vector>

namespace weighbridge::protocol {
namespace {

TEST(Tool, ReadsAnnotationAndSchema) {
  const auto tool = read_tool(
      R"({"name":"a","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","required":["x"]}})");
  ASSERT_TRUE(tool);
  EXPECT_EQ(tool->name, "a");
  EXPECT_TRUE(tool->read_only);
  EXPECT_TRUE(tool->needs_arguments);
}

TEST(Tool, IsNotReadOnlyUnlessItSaysSo) {
  EXPECT_FALSE(read_tool(R"({"name":"a"})")->read_only);
  EXPECT_FALSE(read_tool(R"({"name":"a","annotations":{"readOnlyHint":false}})")->read_only);
  EXPECT_FALSE(read_tool(R"({"name":"a","annotations":{"readOnlyHint":"true"}})")->read_only);
}

TEST(Tool, NeedsArgumentsWhenItsSchemaMayRefuseAnEmptyObject) {
  for (const char* schema : {R"({"required":["a"]})", R"({"anyOf":[{"required":["a"]}]})",
                             R"({"$ref":"#/$defs/x"})", R"({"minProperties":1})", R"("no schema")"})
    EXPECT_TRUE(
        read_tool(std::string(R"({"name":"a","inputSchema":)") + schema + "}")->needs_arguments)
        << schema;
  for (const char* schema : {R"({"type":"object"})", R"({"required":[]})",
                             R"({"properties":{"required":{"type":"string"}}})"})
    EXPECT_FALSE(
        read_tool(std::string(R"({"name":"a","inputSchema":)") + schema + "}")->needs_arguments)
        << schema;
}

TEST(Tool, HasAName) {
  EXPECT_FALSE(read_tool(R"({"title":"a"})"));
  EXPECT_FALSE(read_tool("[]"));
}

TEST(ChooseTool, TakesTheFirstInListingOrder) {
  const std::vector<std::string> items{
      "garbage", R"({"name":"writes","inputSchema":{}})",
      R"({"name":"asks","annotations":{"readOnlyHint":true},"inputSchema":{"required":["q"]}})",
      R"({"name":"first","annotations":{"readOnlyHint":true},"inputSchema":{}})",
      R"({"name":"second","annotations":{"readOnlyHint":true}})"};
  EXPECT_EQ(choose_tool(items), "first");
  EXPECT_EQ(choose_tool(std::span(items).first(3)), std::nullopt);
}

}  // namespace
}  // namespace weighbridge::protocol
