#include "load/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace weighbridge::load {
namespace {

std::string filled(std::string_view text,
                   const CallNumber& call = {.n = 7, .id = 100'000'007, .seed = 1}) {
  std::string out;
  TextTemplate(text).append(out, call);
  return out;
}

TEST(TextTemplate, LeavesTextWithoutPlaceholdersAlone) {
  EXPECT_EQ(filled(R"({"query":"{ {} {unknown} {payload:} {payload:x} }"})"),
            R"({"query":"{ {} {unknown} {payload:} {payload:x} }"})");
  EXPECT_EQ(filled("ends open {n"), "ends open {n");
}

TEST(TextTemplate, NumbersItsCalls) {
  EXPECT_EQ(filled(R"({"page":"{n}"})"), R"({"page":"7"})");
}

TEST(TextTemplate, MakesUuidsOfVersionFour) {
  const std::string uuid = filled("{uuid}");
  EXPECT_THAT(uuid, testing::MatchesRegex(
                        "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  std::set<std::string> seen;
  for (std::uint32_t id = 0; id < 10'000; ++id)
    seen.insert(filled("{uuid}", {.id = id, .seed = 1}));
  EXPECT_EQ(seen.size(), 10'000U);
}

TEST(TextTemplate, FillsPayloadsOfExactlyTheSizeAskedFor) {
  for (const std::size_t bytes : {0U, 1U, 1000U, 3'000'000U}) {
    const std::string text = filled("<{payload:" + std::to_string(bytes) + "}>");
    EXPECT_EQ(text.size(), bytes + 2);
    EXPECT_EQ(text.find_first_of("\"\\{"), std::string::npos);
  }
  EXPECT_NE(filled("{payload:100}", {.id = 1}), filled("{payload:100}", {.id = 2}));
}

TEST(TextTemplate, ShowsTheNonceThatTheReplyIsHeldAgainst) {
  const CallNumber call{.n = 1, .id = 5, .seed = 9};
  EXPECT_EQ(filled("{nonce}", call), nonce_of(call));
  EXPECT_EQ(nonce_of(call).size(), 16U);
  EXPECT_NE(nonce_of(call), nonce_of({.n = 1, .id = 6, .seed = 9}));
  EXPECT_TRUE(TextTemplate("a {nonce}").has_nonce());
  EXPECT_FALSE(TextTemplate("a {n}").has_nonce());
}

TEST(TextTemplate, IsTheSameForTheSameCall) {
  const std::string_view text = "{n} {uuid} {nonce} {payload:50}";
  EXPECT_EQ(filled(text), filled(text));
}

}  // namespace
}  // namespace weighbridge::load
