#include "report/text.h"

#include <gtest/gtest.h>

namespace weighbridge::report {
namespace {

TEST(Text, AServerCannotMoveTheReadersCursor) {
  EXPECT_EQ(printable("a\x1b[2Jb"), "a [2Jb");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31mred"),
            "31mred");
}

TEST(Text, LinesBecomeOne) {
  EXPECT_EQ(printable("  first\r\n\tsecond\n"), "first second");
}

TEST(Text, TextThatRunsBackwardsIsStraightened) {
  EXPECT_EQ(printable("abc\xe2\x80\xae"
                      "def"),
            "abcdef");
}

TEST(Text, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(printable("a\xff"
                      "b\xe2\x82"),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(printable("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(Text, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(printable("grüße", 3), "grü…");
  EXPECT_EQ(printable("grüße", 5), "grüße");
}

TEST(Text, WideCharactersTakeTwoColumns) {
  EXPECT_EQ(display_width("grün"), 4U);
  EXPECT_EQ(display_width("重さ"), 4U);
  EXPECT_EQ(display_width("e\xcc\x81"), 1U);
}

TEST(Text, MarkdownAndHtmlAreShownAndNotObeyed) {
  EXPECT_EQ(markdown_text("a|b"), "a\\|b");
  EXPECT_EQ(markdown_text("<img src=x>"), "&lt;img src=x&gt;");
  EXPECT_EQ(markdown_text("*loud* _x_ [l](u) `c`"), "\\*loud\\* \\_x\\_ \\[l\\](u) \\`c\\`");
}

TEST(Text, CodeMayHoldBackticks) {
  EXPECT_EQ(markdown_code("plain"), "`plain`");
  EXPECT_EQ(markdown_code("a `b` c"), "`` a `b` c ``");
  EXPECT_EQ(markdown_code(""), "");
}

TEST(Text, CodeInATableCannotOpenAnotherCell) {
  EXPECT_EQ(markdown_code_cell("a|b<i>"), "<code>a&#124;b&#60;i&#62;</code>");
  EXPECT_EQ(markdown_code_cell("plain"), "`plain`");
}

TEST(Text, LinesBreakAtSpaces) {
  EXPECT_EQ(wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap("extraordinarily long", 5), (std::vector<std::string>{"extraordinarily", "long"}));
  EXPECT_TRUE(wrap("", 5).empty());
}

}  // namespace
}  // namespace weighbridge::report
