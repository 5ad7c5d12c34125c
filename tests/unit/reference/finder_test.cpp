#include "reference/finder.h"

#include <gtest/gtest.h>

#include "reference/fixed_tools.h"
#include "support.h"

namespace weighbridge::reference {
namespace {

using nlohmann::json;
using testing::catalogue;

json find(std::string_view query, std::size_t limit, bool explain = false) {
  static Finder finder(catalogue());
  const auto result = finder.find(query, limit, explain);
  EXPECT_FALSE(result.is_error);
  return json::parse("{" + result.members + "}");
}

TEST(Finder, TellsWhatIsNeededToExecuteTheAction) {
  const auto result = find("list issues", 3);
  const auto& structured = result["structuredContent"];
  EXPECT_EQ(structured["query"], "list issues");
  ASSERT_EQ(structured["actions"].size(), 3U);
  const auto& first = structured["actions"][0];
  EXPECT_EQ(first["id"], "issues.list");
  EXPECT_EQ(first["method"], "GET");
  EXPECT_EQ(first["path"], "/projects/{id}/issues");
  EXPECT_EQ(first["area"], "issues");
  EXPECT_EQ(first["read_only"], true);
  EXPECT_EQ(first["destructive"], false);
  EXPECT_TRUE(first["parameters"]["properties"].contains("labels"));
  EXPECT_FALSE(first.contains("why"));
}

TEST(Finder, SaysTheSameInWords) {
  const auto text = find("list issues", 2)["content"][0]["text"].get<std::string>();
  EXPECT_TRUE(
      text.starts_with("1. issues.list: List issues of a project (GET "
                       "/projects/{id}/issues)\n2. "))
      << text;
  EXPECT_TRUE(text.contains("more match less well")) << text;
}

TEST(Finder, ExplainsWhenAsked) {
  const auto result = find("list issues", 1, true);
  EXPECT_EQ(result["structuredContent"]["actions"][0]["why"][0]["word"], "list");
}

TEST(Finder, SaysSoWhenNothingFits) {
  const auto result = find("xyzzy \"quoted\"", 5);
  EXPECT_EQ(result["structuredContent"]["total"], 0);
  EXPECT_EQ(result["structuredContent"]["query"], "xyzzy \"quoted\"");
  EXPECT_TRUE(result["content"][0]["text"].get<std::string>().contains("No action fits"));
}

TEST(Finder, GivesTheSameAnswerAgain) {
  EXPECT_EQ(find("create branch", 10), find("create branch", 10));
}

TEST(FixedTools, AreJson) {
  for (const auto& tool : {find_action_tool(catalogue()), std::string(execute_action_tool()),
                           std::string(server_status_tool()), std::string(null_tool())})
    EXPECT_TRUE(json::parse(tool).contains("inputSchema"));
}

TEST(FixedTools, ThatNeedNoArgumentsSaySo) {
  for (const auto tool : {server_status_tool(), null_tool()}) {
    const auto parsed = json::parse(tool);
    EXPECT_EQ(parsed["annotations"]["readOnlyHint"], true);
    EXPECT_FALSE(parsed["inputSchema"].contains("required"));
  }
}

}  // namespace
}  // namespace weighbridge::reference
