#include "standin/route_table.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace weighbridge::standin {
namespace {

Route route(std::string method, std::string path, std::string body) {
  return {.method = std::move(method), .path = std::move(path), .body = std::move(body)};
}

class RouteTableTest : public ::testing::Test {
 protected:
  RouteTable table{{route("", "/version", "any"), route("GET", "/projects/{id}", "one"),
                    route("", "/projects/{id}", "other"), route("", "/projects/mine", "mine"),
                    route("DELETE", "/projects/mine", "gone"),
                    route("", "/projects/{id}/issues/{iid}", "issue")}};

  std::string answer(std::string_view method, std::string_view path) {
    const RouteTable::Entry* const entry = table.find(method, path);
    return entry == nullptr ? "none" : *entry->body;
  }
};

TEST_F(RouteTableTest, FindsAnExactPath) {
  EXPECT_EQ(answer("GET", "/version"), "any");
  EXPECT_EQ(answer("PATCH", "/version"), "any");
  EXPECT_EQ(answer("GET", "/version/"), "none");
  EXPECT_EQ(answer("GET", "/versions"), "none");
  EXPECT_EQ(answer("GET", ""), "none");
}

TEST_F(RouteTableTest, LetsABracedSegmentStandForAnything) {
  EXPECT_EQ(answer("GET", "/projects/group%2Fname"), "one");
  EXPECT_EQ(answer("GET", "/projects/1/issues/2"), "issue");
  EXPECT_EQ(answer("GET", "/projects//issues/2"), "none") << "but not for nothing";
  EXPECT_EQ(answer("GET", "/projects/1/issues"), "none");
  EXPECT_EQ(answer("GET", "/projects/1/notes/2"), "none");
}

TEST_F(RouteTableTest, TheFirstListedThatTakesTheMethodWins) {
  EXPECT_EQ(answer("POST", "/projects/1"), "other");
}

TEST_F(RouteTableTest, AnExactPathGoesBeforeAPattern) {
  EXPECT_EQ(answer("GET", "/projects/mine"), "mine");
  EXPECT_EQ(answer("DELETE", "/projects/mine"), "mine") << "listed before the one for DELETE";
}

TEST(JsonOfSize, IsValidJsonOfExactlyThatSize) {
  EXPECT_EQ(json_of_size(0), "");
  for (std::uint64_t size = 1; size < 40; ++size) {
    const std::string text = json_of_size(size);
    EXPECT_EQ(text.size(), size);
    EXPECT_TRUE(nlohmann::json::accept(text)) << text;
  }
  EXPECT_EQ(json_of_size(3'000'000).size(), 3'000'000U);
}

}  // namespace
}  // namespace weighbridge::standin
