#include "reference/tool_pages.h"

#include <gtest/gtest.h>

namespace weighbridge::reference {
namespace {

Listing five() {
  return {.tools = "a,bb,c,d,e", .tool_ends = {1, 4, 6, 8, 10}};
}

TEST(ToolPages, HoldSoManyToolsEach) {
  const auto pages = make_tool_pages(five(), 2);
  ASSERT_EQ(pages.size(), 3U);
  EXPECT_EQ(*pages[0].tools, "a,bb");
  EXPECT_EQ(*pages[1].tools, "c,d");
  EXPECT_EQ(*pages[2].tools, "e");
  EXPECT_EQ(pages[0].count, 2U);
  EXPECT_EQ(pages[2].count, 1U);
  EXPECT_EQ(pages[2].next_cursor, "");
  EXPECT_EQ(read_page_cursor(pages[0].next_cursor, 3), 1U);
  EXPECT_EQ(read_page_cursor(pages[1].next_cursor, 3), 2U);
}

TEST(ToolPages, AreOneWhereAllFits) {
  for (const std::size_t size : {0U, 5U, 6U}) {
    const auto pages = make_tool_pages(five(), size);
    ASSERT_EQ(pages.size(), 1U) << size;
    EXPECT_EQ(*pages[0].tools, "a,bb,c,d,e");
    EXPECT_EQ(pages[0].count, 5U);
  }
}

TEST(ToolPages, HaveCursorsThatCannotBeGuessedAt) {
  for (const auto* cursor : {"", "1", "tools-from-page-", "tools-from-page-3", "tools-from-page-1x",
                             "tools-from-page--1", "tools-from-page-99999999999999999999"})
    EXPECT_FALSE(read_page_cursor(cursor, 3)) << cursor;
}

}  // namespace
}  // namespace weighbridge::reference
