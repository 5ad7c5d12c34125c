#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "protocol/detail/members.h"

namespace weighbridge::protocol::detail {
namespace {

std::string long_string() {
  return "\"" + std::string(10'000, 'x') + "\"";
}
std::string value_of(const std::string& text, std::string_view key) {
  const auto members = read_edge_members(text);
  return members ? std::string(find(*members, key)) : "not read";
}

TEST(EdgeMembers, ReadEveryKindOfValueBehindALongOne) {
  const std::string text =
      R"({ "long" : )" + long_string() +
      R"( , "a\\" : "q\"u\\o\\\"te\\" , "b":{"c":"}]\"{","d":[ 1 , {} ]} , "e":-1.5e+3,"f":null } )";
  EXPECT_EQ(value_of(text, "a\\\\"), R"("q\"u\\o\\\"te\\")");
  EXPECT_EQ(value_of(text, "b"), R"({"c":"}]\"{","d":[ 1 , {} ]})");
  EXPECT_EQ(value_of(text, "e"), "-1.5e+3");
  EXPECT_EQ(value_of(text, "f"), "null");
  EXPECT_EQ(value_of(text, "long"), long_string());
}

TEST(EdgeMembers, ReadEveryKindOfValueBeforeALongOne) {
  const std::string text =
      R"( {"a\\":"q\"u\\o\\\"te\\","b":{"c":"}]\"{","d":[1,{}]},"e":-1.5e+3,"f":null,"long":)" +
      long_string() + "}";
  EXPECT_EQ(value_of(text, "a\\\\"), R"("q\"u\\o\\\"te\\")");
  EXPECT_EQ(value_of(text, "b"), R"({"c":"}]\"{","d":[1,{}]})");
  EXPECT_EQ(value_of(text, "e"), "-1.5e+3");
  EXPECT_EQ(value_of(text, "long"), long_string());
}

TEST(EdgeMembers, GiveUpWhereTheEndsDoNotMeet) {
  EXPECT_FALSE(read_edge_members(R"({"a":1})")) << "too short to have ends";
  EXPECT_FALSE(read_edge_members("[" + long_string() + "]"));
  EXPECT_FALSE(read_edge_members(R"({"a":)" + long_string() + R"(,"b":[)" + long_string() + "]}"))
      << "two long values of different kinds";
  EXPECT_FALSE(read_edge_members(R"({"a":)" + long_string())) << "no closing brace";
  EXPECT_FALSE(read_edge_members(R"({"a":{"b":)" + long_string() + "]}")) << "brackets differ";
  EXPECT_FALSE(read_edge_members(R"({"a":)" + long_string() + R"(,"b"}})"));
  EXPECT_FALSE(read_edge_members(R"({"a" )" + long_string() + "}"));
}

TEST(EdgeMembers, TakeARunOfBackslashesThatGoesOnOutOfSightForNothingCertain) {
  const std::string text = R"({"id":1,"a":")" + std::string(10'000, '\\') + R"(","b":2})";
  EXPECT_EQ(value_of(text, "b"), "2");
  EXPECT_EQ(value_of(text, "a").size(), 10'002U);
}

// --- against the whole walk, on random objects --------------------------------------------------

std::string random_string(Random& random, std::size_t length) {
  static const std::vector<std::string> kPieces{
      "a", "}", "{", "[", "]", ",", ":", " ", R"(\")", R"(\\)", R"(\n)", R"(é)", R"("id":1)"};
  std::string text = "\"";
  while (text.size() < length + 1) {
    const std::string& piece = kPieces[random.below(kPieces.size())];
    if (piece.front() != '"') text += piece;
  }
  return text + "\"";
}

std::string random_value(Random& random, std::size_t depth) {
  switch (random.below(depth > 0 ? 5 : 3)) {
    case 0:
      return std::to_string(random.below(1000));
    case 1:
      return random_string(random, random.below(20));
    case 2:
      return "false";
    case 3:
      return "[" + random_value(random, depth - 1) + ", " + random_value(random, depth - 1) + "]";
    default:
      return "{" + random_string(random, 3) + ":" + random_value(random, depth - 1) + "}";
  }
}

std::string random_long_value(Random& random) {
  if (random.below(2) == 0) return random_string(random, 9000);
  std::string text = "[0";
  while (text.size() < 9000) text += "," + random_value(random, 3);
  return text + "]";
}

TEST(EdgeMembers, AgreeWithTheWholeWalkOnRandomObjects) {
  Random random(7);
  for (int round = 0; round < 500; ++round) {
    std::string text = "{";
    const std::size_t count = 1 + random.below(6);
    const std::size_t longest = random.below(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) text += random.below(2) == 0 ? "," : " , ";
      text += random_string(random, 1 + random.below(8)) + (random.below(2) == 0 ? ":" : " : ");
      text += i == longest ? random_long_value(random) : random_value(random, 3);
    }
    text += "}";
    const auto whole = read_members(text);
    ASSERT_TRUE(whole) << text;
    const auto edges = read_edge_members(text);
    ASSERT_TRUE(edges) << text;
    ASSERT_EQ(edges->size(), whole->size()) << text;
    for (std::size_t i = 0; i < whole->size(); ++i) {
      EXPECT_EQ((*edges)[i].key, (*whole)[i].key);
      EXPECT_EQ((*edges)[i].value, (*whole)[i].value);
    }
  }
}

}  // namespace
}  // namespace weighbridge::protocol::detail
