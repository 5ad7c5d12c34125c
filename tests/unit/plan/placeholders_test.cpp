#include "plan/placeholders.h"

#include <gtest/gtest.h>

namespace weighbridge::plan {
namespace {

const Placeholders kValues{{"port", "4711"}, {"upstream", "http://127.0.0.1:9/{port}"}};

TEST(Placeholders, AreFilledWhereverTheyStand) {
  EXPECT_EQ(fill("--http=127.0.0.1:{port}", kValues), "--http=127.0.0.1:4711");
  EXPECT_EQ(fill("{port}{port}", kValues), "47114711");
}

TEST(Placeholders, AreNotLookedForInWhatWasFilledIn) {
  EXPECT_EQ(fill("{upstream}", kValues), "http://127.0.0.1:9/{port}");
}

TEST(Placeholders, LeaveJsonAlone) {
  const std::string json = R"({"a":{"b":[{}]},"port":"{Port}","c":"{ port }","d":"{1}"})";
  EXPECT_EQ(fill(json, kValues), json);
  EXPECT_TRUE(placeholders_in(json).empty());
}

TEST(Placeholders, MayStandInsideOtherBraces) {
  EXPECT_EQ(fill(R"({"port":{port}})", kValues), R"({"port":4711})");
  EXPECT_EQ(fill("{{port}}", kValues), "{4711}");
}

TEST(Placeholders, StayOpenTextWithoutTheirClosingBrace) {
  EXPECT_EQ(fill("{port", kValues), "{port");
  EXPECT_EQ(fill("{", kValues), "{");
}

TEST(Placeholders, WithoutAValueAreRefusedWithTheNearestThatHasOne) {
  const auto filled = fill("{prt}", kValues);
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().code, ErrorCode::plan);
  EXPECT_EQ(describe(filled.error()), "`{prt}` has no value here. Did you mean `{port}`?");
}

TEST(Placeholders, FarFromEveryNameAreRefusedWithAllThatHaveOne) {
  const auto filled = fill("{credential}", kValues);
  ASSERT_FALSE(filled);
  EXPECT_EQ(describe(filled.error()),
            "`{credential}` has no value here. Those that have one: `{port}`, `{upstream}`");
}

TEST(Placeholders, AreNotQuotedWithTheTextAroundThemWhichMayBeSecret) {
  const auto filled = fill("--token=s3cr3t{nothing}", kValues);
  ASSERT_FALSE(filled);
  EXPECT_EQ(describe(filled.error()).find("s3cr3t"), std::string::npos);
}

TEST(Placeholders, OfSeveralTextsAreFilledInOrder) {
  const auto filled = fill(std::vector<std::string>{"a", "{port}", ""}, kValues);
  ASSERT_TRUE(filled);
  EXPECT_EQ(*filled, (std::vector<std::string>{"a", "4711", ""}));
  EXPECT_FALSE(fill(std::vector<std::string>{"a", "{nothing}"}, kValues));
}

TEST(Placeholders, AreListedInOrder) {
  EXPECT_EQ(placeholders_in("{b} {a}{b} {not this} {c_1}"),
            (std::vector<std::string>{"b", "a", "b", "c_1"}));
}

}  // namespace
}  // namespace weighbridge::plan
