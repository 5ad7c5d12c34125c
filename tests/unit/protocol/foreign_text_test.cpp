#include "protocol/foreign_text.h"

#include <gtest/gtest.h>

#include "protocol/json_text.h"

namespace weighbridge::protocol {
namespace {

TEST(TextOfBody, ReadsAnErrorPageWithoutItsMarkup) {
  // As Express writes it, behind server-everything and mcp-gitlab.
  EXPECT_EQ(first_words(text_of_body(
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<title>Error</title>\n</head>\n<body>\n<pre>Cannot POST "
                "/sse</pre>\n</body>\n</html>\n")),
            "Error Cannot POST /sse");
  EXPECT_EQ(first_words(text_of_body("<html><style>a{}</style><SCRIPT>if (a<b) x()</SCRIPT>"
                                     "<p>a &lt; b &amp;&amp; it&#39;s &copy;</p>")),
            "a < b && it's &copy;");
}

TEST(TextOfBody, LeavesEverythingElseAsItIs) {
  for (const char* body : {"", "Invalid Host header", R"({"error":"Too many requests"})", "a < b"})
    EXPECT_EQ(text_of_body(body), body);
}

TEST(TextOfBody, SurvivesBrokenMarkupAndBoundsWhatItReads) {
  EXPECT_EQ(text_of_body("<"), "<");
  EXPECT_EQ(text_of_body("<script>never closed"), "<script>never closed");
  EXPECT_EQ(text_of_body("<p"), "<p");
  EXPECT_LE(text_of_body(std::string(100'000, 'x')).size(), 4096U);
}

}  // namespace
}  // namespace weighbridge::protocol
