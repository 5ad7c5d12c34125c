#include "transport/http_message.h"

#include <gtest/gtest.h>

#include "transport/detail/render.h"

namespace weighbridge::transport {
namespace {

TEST(FindHeader, ComparesNamesWithoutCaseAndTakesTheFirst) {
  const Headers headers{{"content-type", "a"}, {"Content-Type", "b"}};
  EXPECT_EQ(find_header(headers, "Content-Type"), "a");
  EXPECT_EQ(find_header(headers, "CONTENT-TYPE"), "a");
  EXPECT_EQ(find_header(headers, "Content"), std::nullopt);
}

TEST(RenderRequest, WritesOneRequest) {
  EXPECT_EQ(
      render_request("POST", "/mcp?a=b", "127.0.0.1:8080", {{"Accept", "text/event-stream"}}, "{}"),
      "POST /mcp?a=b HTTP/1.1\r\n"
      "Host: 127.0.0.1:8080\r\n"
      "Accept: text/event-stream\r\n"
      "Content-Length: 2\r\n"
      "\r\n"
      "{}");
}

TEST(RenderRequest, LetsAGivenHostReplaceItsOwn) {
  EXPECT_EQ(render_request("GET", "/", "127.0.0.1:8080", {{"host", "gate.test"}}, {}),
            "GET / HTTP/1.1\r\nhost: gate.test\r\n\r\n");
}

TEST(RenderRequest, GivesNoLengthWhereThereIsNoBody) {
  EXPECT_EQ(render_request("GET", "/", "h", {}, {}), "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
}

TEST(RenderRequest, DoesNotLetAValueBeginAHeaderOfItsOwn) {
  const std::string bytes =
      render_request("GET", "/", "h", {{"X-Token", "a\r\nX-Admin: 1\n\nGET /"}}, {});
  EXPECT_EQ(bytes, "GET / HTTP/1.1\r\nHost: h\r\nX-Token: a  X-Admin: 1  GET /\r\n\r\n");
}

TEST(ReasonPhrase, IsEmptyForAStatusNobodyKnows) {
  EXPECT_EQ(detail::reason_phrase(404), "Not Found");
  EXPECT_EQ(detail::reason_phrase(299), "");
  std::string line;
  detail::append_status_line(line, 299);
  EXPECT_EQ(line, "HTTP/1.1 299 \r\n");
}

}  // namespace
}  // namespace weighbridge::transport
