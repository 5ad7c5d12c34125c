#include "protocol/json_text.h"

#include <gtest/gtest.h>

namespace weighbridge::protocol {
namespace {

TEST(Quote, EscapesWhatJsonForbids) {
  EXPECT_EQ(quote("a\"b\\c\n\t\x01é"), "\"a\\\"b\\\\c\\n\\u0009\\u0001é\"");
}

TEST(Unquote, UndoesQuote) {
  for (const std::string text : {"", "plain", "\"\\\n\r\t\x1f", "é漢😀", "tail\\"})
    EXPECT_EQ(unquote(quote(text)), text);
}

TEST(Unquote, ReadsEveryEscape) {
  EXPECT_EQ(unquote(R"("\u00e9\ud83d\ude00\/\b")"), "é😀/\b");
}

TEST(Unquote, RefusesWhatIsNoStringLiteral) {
  for (const char* text : {"", "\"", "abc", "12", "\"a", "a\"", R"("\x")", R"("a"b")"})
    EXPECT_EQ(unquote(text), std::nullopt) << text;
}

TEST(FirstWords, PutsForeignTextOnOneLine) {
  EXPECT_EQ(first_words(" <html>\r\n\t<body>  no\x1b[0m "), "<html> <body> no [0m");
}

TEST(FirstWords, MarksACutAndNeverCutsACharacter) {
  EXPECT_EQ(first_words("abcdef", 6), "abcdef");
  EXPECT_EQ(first_words("abcdefg", 6), "abc…");
  EXPECT_EQ(first_words("aéééé", 8), "aéé…");
}

TEST(FirstWords, ShowsNothingThatATerminalOrARecordMustNotSee) {
  EXPECT_EQ(first_words("a\xff\xc3(\xed\xa0\x80z"), "a��(���z");
  EXPECT_EQ(first_words("a\xc2\x9b"
                        "31m\xe2\x80\xae"
                        "b"),
            "a 31m b");
  EXPECT_EQ(first_words("\xe2\x82"), "��");
}

}  // namespace
}  // namespace weighbridge::protocol
