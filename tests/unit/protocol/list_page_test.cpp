#include "protocol/list_page.h"

#include <gtest/gtest.h>

namespace weighbridge::protocol {
namespace {

TEST(ListPage, CountsItemsAndKeepsTheirText) {
  const auto page = read_list_page(
      "tools/list", R"({"ttlMs":0,"tools":[{"name":"a"}, {"name":"b","x":[{}]}]})", true);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->items, 2U);
  EXPECT_EQ(page->items_json,
            (std::vector<std::string>{R"({"name":"a"})", R"({"name":"b","x":[{}]})"}));
  EXPECT_EQ(page->next_cursor, std::nullopt);
}

TEST(ListPage, KeepsNoTextUnlessAsked) {
  EXPECT_TRUE(read_list_page("prompts/list", R"({"prompts":[{}]})", false)->items_json.empty());
}

TEST(ListPage, AnEmptyCursorIsACursorAndNullIsNone) {
  EXPECT_EQ(
      read_list_page("resources/list", R"({"resources":[],"nextCursor":""})", false)->next_cursor,
      "");
  EXPECT_EQ(
      read_list_page("resources/list", R"({"resources":[],"nextCursor":null})", false)->next_cursor,
      std::nullopt);
  EXPECT_EQ(read_list_page("resources/list", R"({"nextCursor":"a\"b","resources":[]})", false)
                ->next_cursor,
            "a\"b");
}

TEST(ListPage, RefusesWhatIsNoList) {
  EXPECT_FALSE(read_list_page("tools/list", R"({"prompts":[]})", false));
  EXPECT_FALSE(read_list_page("tools/list", R"({"tools":{}})", false));
  EXPECT_FALSE(read_list_page("tools/list", R"([])", false));
  EXPECT_FALSE(read_list_page("tools/list", R"({"tools":[],"nextCursor":7})", false));
  EXPECT_FALSE(read_list_page("tools/call", R"({"tools":[]})", false));
}

TEST(ListPage, KnowsResourceTemplates) {
  EXPECT_EQ(
      read_list_page("resources/templates/list", R"({"resourceTemplates":[{},{}]})", false)->items,
      2U);
}

}  // namespace
}  // namespace weighbridge::protocol
