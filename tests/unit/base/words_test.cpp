#include "base/words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weighbridge {
namespace {

using Words = std::vector<std::string>;

TEST(NearestWord, FindsThePlausibleSlip) {
  const Words keys{"target", "telemetry", "rounds", "repeat"};
  EXPECT_EQ(nearest_word("targt", keys), "target");
  EXPECT_EQ(nearest_word("tagret", keys), "target");
  EXPECT_EQ(nearest_word("round", keys), "rounds");
  EXPECT_EQ(nearest_word("telemetrics", keys), "telemetry");
  EXPECT_EQ(nearest_word("repeat", keys), "repeat");
}

TEST(NearestWord, StaysSilentWhenNothingIsNear) {
  const Words keys{"target", "rounds"};
  EXPECT_EQ(nearest_word("colour", keys), "");
  EXPECT_EQ(nearest_word("", keys), "");
  EXPECT_EQ(nearest_word("target", {}), "");
}

TEST(NearestWord, AllowsOneSlipInAShortWord) {
  const Words keys{"cpu", "rss"};
  EXPECT_EQ(nearest_word("cpi", keys), "cpu");
  EXPECT_EQ(nearest_word("cat", keys), "");
}

TEST(NearestWord, CountsTwoNeighboursExchangedAsOneSlip) {
  EXPECT_EQ(nearest_word("prot", Words{"port"}), "port");
  EXPECT_EQ(nearest_word("tagret", Words{"tagged", "target"}), "target");
  EXPECT_EQ(nearest_word("trop", Words{"port"}), "");
}

TEST(NearestWord, PrefersTheCloserAndThenTheEarlierOne) {
  EXPECT_EQ(nearest_word("steps", Words{"stops", "step", "steps"}), "steps");
  EXPECT_EQ(nearest_word("stap", Words{"step", "stop"}), "step");
}

TEST(MatchesGlob, TakesTheWholeText) {
  EXPECT_TRUE(matches_glob("stdio/dynamic", "stdio/dynamic"));
  EXPECT_FALSE(matches_glob("stdio", "stdio/dynamic"));
  EXPECT_FALSE(matches_glob("dynamic", "stdio/dynamic"));
  EXPECT_FALSE(matches_glob("stdio/dynamic", "stdio"));
  EXPECT_FALSE(matches_glob("A", "a"));
}

TEST(MatchesGlob, LetsAStarStandForAnyRun) {
  EXPECT_TRUE(matches_glob("*", ""));
  EXPECT_TRUE(matches_glob("*", "anything"));
  EXPECT_TRUE(matches_glob("stdio/*", "stdio/"));
  EXPECT_TRUE(matches_glob("*TOKEN*", "GITLAB_TOKEN_FILE"));
  EXPECT_TRUE(matches_glob("a*b*c", "a-b-b-c"));
  EXPECT_TRUE(matches_glob("**a", "aaa"));
  EXPECT_FALSE(matches_glob("a*b*c", "a-c-b"));
  EXPECT_FALSE(matches_glob("*a", "ab"));
}

TEST(MatchesGlob, LetsAQuestionMarkStandForOneCharacter) {
  EXPECT_TRUE(matches_glob("p?9", "p99"));
  EXPECT_FALSE(matches_glob("p?9", "p9"));
  EXPECT_FALSE(matches_glob("?", ""));
  EXPECT_TRUE(matches_glob("*?", "x"));
  EXPECT_FALSE(matches_glob("*?", ""));
}

TEST(MatchesGlob, MatchesNothingButNothingWithAnEmptyPattern) {
  EXPECT_TRUE(matches_glob("", ""));
  EXPECT_FALSE(matches_glob("", "x"));
}

TEST(MatchesGlob, TreatsAStarInTheTextAsACharacter) {
  EXPECT_TRUE(matches_glob("*", "*"));
  EXPECT_TRUE(matches_glob("*b", "*ab"));
  EXPECT_FALSE(matches_glob("a", "*"));
}

TEST(MatchesGlob, DoesNotBlowUpOnManyStars) {
  // Backtracking into every star would take longer than anyone waits.
  std::string pattern;
  for (int i = 0; i < 30; ++i) pattern += "a*";
  EXPECT_FALSE(matches_glob(pattern + "b", std::string(10'000, 'a')));
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(split("a,b,c", ','), (Words{"a", "b", "c"}));
  EXPECT_EQ(split("a,,c", ','), (Words{"a", "", "c"}));
  EXPECT_EQ(split(",a,", ','), (Words{"", "a", ""}));
  EXPECT_EQ(split("abc", ','), (Words{"abc"}));
  EXPECT_EQ(split("", ','), (Words{""}));
}

TEST(Trim, TakesSpaceOffBothEndsOnly) {
  EXPECT_EQ(trim("  a b \t\r\n"), "a b");
  EXPECT_EQ(trim("a"), "a");
  EXPECT_EQ(trim(" \r\n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(EqualsIgnoringCase, ComparesAsciiLettersOnly) {
  EXPECT_TRUE(equals_ignoring_case("Content-Type", "content-TYPE"));
  EXPECT_FALSE(equals_ignoring_case("Content-Type", "Content-Typ"));
  EXPECT_FALSE(equals_ignoring_case("[", "{"));
  EXPECT_FALSE(equals_ignoring_case("\xc3\x84", "\xc3\xa4"));
}

}  // namespace
}  // namespace weighbridge
