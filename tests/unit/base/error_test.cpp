#include "base/error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>

namespace weighbridge {
namespace {

Error error(std::string what, std::string where = {}, std::string remedy = {}) {
  return {.code = ErrorCode::plan,
          .what = std::move(what),
          .where = std::move(where),
          .remedy = std::move(remedy)};
}

TEST(DescribeError, SaysWhatWhereAndWhatToDo) {
  EXPECT_EQ(describe(error("unknown key \"targt\"", "plan.toml:3", "Did you mean \"target\"?")),
            "unknown key \"targt\" (plan.toml:3). Did you mean \"target\"?");
}

TEST(DescribeError, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(describe(error("the server closed the channel")), "the server closed the channel");
  EXPECT_EQ(describe(error("it broke", "round 2")), "it broke (round 2)");
  EXPECT_EQ(describe(error("it broke", {}, "Try again")), "it broke. Try again");
}

TEST(DescribeError, PutsOneFullStopBeforeTheRemedy) {
  EXPECT_EQ(describe(error("It broke.", {}, "Try again")), "It broke. Try again");
}

TEST(DescribeError, StartsTheRemedyAtOnceAfterALineBreak) {
  EXPECT_EQ(describe(error("its last words:\nsegfault\n", {}, "Run it by hand")),
            "its last words:\nsegfault\nRun it by hand");
}

TEST(DescribeError, IsTheRemedyAloneWhenNothingElseIsSaid) {
  EXPECT_EQ(describe(error("", {}, "Try again")), "Try again");
}

TEST(Error, SeenFromFurtherOutNamesTheOuterPlaceFirst) {
  const Error inner = error("no such tool", "tools/call");
  EXPECT_EQ(inner.within("variant dynamic").where, "variant dynamic: tools/call");
  EXPECT_EQ(inner.within("a").within("b").where, "b: a: tools/call");
  EXPECT_EQ(error("no such tool").within("variant dynamic").where, "variant dynamic");
  EXPECT_EQ(inner.within("x").what, inner.what);
  EXPECT_EQ(inner.within("x").code, inner.code);
}

TEST(SystemError, EndsInTheWordsForTheNumber) {
  const Error missing = system_error("cannot open plan.toml", ENOENT);
  EXPECT_EQ(missing.code, ErrorCode::system);
  EXPECT_EQ(missing.what, "cannot open plan.toml: No such file or directory");
  EXPECT_EQ(missing.system_errno, ENOENT);
}

Result<int> half(int number) {
  if (number % 2 != 0) return fail(ErrorCode::usage, "odd", "half", "Give an even number");
  return number / 2;
}

Result<int> quarter(int number) {
  WB_TRY(const int once, half(number));
  WB_TRY(const int twice, half(once));
  return twice;
}

TEST(Try, HandsOverTheValueOrReturnsTheError) {
  EXPECT_EQ(quarter(12), 3);
  const Result<int> refused = quarter(6);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::usage);
  EXPECT_EQ(describe(refused.error()), "odd (half). Give an even number");
}

TEST(Try, MovesWhatCannotBeCopied) {
  const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(7); };
  const auto use = [&]() -> Result<int> {
    WB_TRY(const std::unique_ptr<int> owned, make());
    return *owned;
  };
  EXPECT_EQ(use(), 7);
}

TEST(Check, StopsAtTheFirstError) {
  int reached = 0;
  const auto step = [&](bool good) -> Result<void> {
    ++reached;
    if (!good) return fail(ErrorCode::run, "broke off");
    return {};
  };
  const auto flow = [&]() -> Result<void> {
    WB_CHECK(step(true));
    WB_CHECK(step(false));
    WB_CHECK(step(true));
    return {};
  };
  const Result<void> result = flow();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "broke off");
  EXPECT_EQ(reached, 2);
}

}  // namespace
}  // namespace weighbridge
