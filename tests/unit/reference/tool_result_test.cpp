#include "reference/tool_result.h"

#include <gtest/gtest.h>

#include "support.h"

namespace weighbridge::reference {
namespace {

using nlohmann::json;

json members(const ToolResult& result) {
  EXPECT_FALSE(result.members.contains('\n'));
  return json::parse("{" + result.members + "}");
}

transport::Headers type(std::string value) {
  return {{"Content-Type", std::move(value)}};
}

TEST(ToolResult, HandsOnARecordAsTextAndAsData) {
  const auto result = render_answer(
      {.status = 200, .headers = type("application/json"), .body = "{\n  \"iid\": 1 }\n"},
      Shape::record);
  EXPECT_FALSE(result.is_error);
  const auto parsed = members(result);
  EXPECT_EQ(parsed["content"][0]["text"], R"({"iid":1})");
  EXPECT_EQ(parsed["structuredContent"], json::parse(R"({"status":200,"data":{"iid":1}})"));
}

TEST(ToolResult, TellsWhereAPageStandsAndHowManyCallsAreLeft) {
  const auto parsed = members(render_answer({.status = 200,
                                             .headers = {{"x-page", "2"},
                                                         {"X-Per-Page", "20"},
                                                         {"X-Next-Page", ""},
                                                         {"X-Total", "31"},
                                                         {"RateLimit-Remaining", "9"},
                                                         {"X-Request-Id", "abc"}},
                                             .body = "[]"},
                                            Shape::list));
  const auto& structured = parsed["structuredContent"];
  EXPECT_EQ(structured["pagination"], json::parse(R"({"page":2,"per_page":20,"total":31})"));
  EXPECT_EQ(structured["rate_limit"], json::parse(R"({"remaining":9})"));
  EXPECT_EQ(structured["request_id"], "abc");
}

TEST(ToolResult, HandsOnContentAsTextOrAsBase64) {
  const auto text = members(render_answer(
      {.status = 200, .headers = type("text/plain"), .body = "line 1\nline 2"}, Shape::content));
  EXPECT_EQ(text["structuredContent"]["text"], "line 1\nline 2");
  EXPECT_EQ(text["structuredContent"]["content_type"], "text/plain");
  const auto binary = members(render_answer(
      {.status = 200, .headers = type("application/zip"), .body = std::string("PK\0\xff", 4)},
      Shape::content));
  EXPECT_EQ(binary["structuredContent"]["base64"], "UEsA/w==");
  EXPECT_FALSE(binary["structuredContent"].contains("text"));
}

TEST(ToolResult, TakesAFileThatIsJsonForAFile) {
  const auto parsed = members(render_answer(
      {.status = 200, .headers = type("application/json"), .body = "{\"a\":1}"}, Shape::content));
  EXPECT_EQ(parsed["structuredContent"]["text"], "{\"a\":1}");
}

TEST(ToolResult, SaysThatSomethingWasDoneWhenNothingCameBack) {
  const auto parsed =
      members(render_answer({.status = 204, .headers = {}, .body = ""}, Shape::nothing));
  EXPECT_EQ(parsed["content"][0]["text"], "Done: GitLab answered 204.");
  EXPECT_EQ(parsed["structuredContent"], json::parse(R"({"status":204})"));
}

TEST(ToolResult, IsAnErrorWithGitLabsOwnWords) {
  const auto refused = [](int status, std::string body) {
    const auto result =
        render_answer({.status = status, .headers = {}, .body = std::move(body)}, Shape::record);
    EXPECT_TRUE(result.is_error);
    const auto parsed = members(result);
    EXPECT_EQ(parsed["isError"], true);
    EXPECT_EQ(parsed["structuredContent"]["status"], status);
    return parsed["structuredContent"]["message"].get<std::string>();
  };
  EXPECT_EQ(refused(404, R"({"message":"404 Project Not Found"})"), "404 Project Not Found");
  EXPECT_EQ(refused(400, R"({"message":{"title":["is blank"]}})"), R"({"title":["is blank"]})");
  EXPECT_EQ(refused(401, R"({"error":"invalid_token","error_description":"Expired."})"),
            "Expired.");
  EXPECT_EQ(refused(502, "<html>Bad gateway</html>"), "<html>Bad gateway</html>");
  EXPECT_EQ(refused(500, std::string("\0\xff", 2)), "no readable message");
}

TEST(ToolResult, NeverPassesOnBytesThatWouldBreakTheReply) {
  for (const auto* body : {"{\"a\":1", "{\"a\":1}}", "\"a\nb\"", "{\"a\":\xff}"})
    members(render_answer({.status = 200, .headers = {}, .body = body}, Shape::record));
}

TEST(ToolResult, RendersProblemsOfItsOwn) {
  const auto result = render_problem("no \"such\" thing");
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(members(result)["content"][0]["text"], "no \"such\" thing");
}

}  // namespace
}  // namespace weighbridge::reference
