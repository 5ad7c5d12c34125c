#include "target/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weighbridge::target {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

const std::vector<std::string> kInherited{"PATH=/bin", "GITLAB_TOKEN=secret", "GITLAB_URL=x",
                                          "HOME=/root"};

TEST(TargetEnvironment, InheritsWhatNoGlobStrips) {
  const TargetEnvironment made = make_environment(kInherited, {"GITLAB_*"}, {});
  EXPECT_THAT(made.entries, ElementsAre("HOME=/root", "PATH=/bin"));
  EXPECT_THAT(made.inherited_names, ElementsAre("HOME", "PATH"));
  EXPECT_THAT(made.stripped_names, ElementsAre("GITLAB_TOKEN", "GITLAB_URL"));
}

TEST(TargetEnvironment, GivesWhatThePlanAddsEvenUnderAStrippedName) {
  const TargetEnvironment made =
      make_environment(kInherited, {"GITLAB_*"}, {{"GITLAB_URL", "http://stub"}});
  EXPECT_THAT(made.entries, Contains("GITLAB_URL=http://stub"));
  EXPECT_THAT(made.entries, Not(Contains("GITLAB_TOKEN=secret")));
}

TEST(TargetEnvironment, CountsAnOverriddenNameAsAddedAndNotAsInherited) {
  const TargetEnvironment made = make_environment(kInherited, {}, {{"HOME", "/tmp"}});
  EXPECT_THAT(made.entries, Contains("HOME=/tmp"));
  EXPECT_THAT(made.inherited_names, Not(Contains("HOME")));
}

TEST(TargetEnvironment, PassesOverEntriesWithoutAName) {
  const TargetEnvironment made = make_environment({"=C:=odd", "nonsense", "A=1"}, {}, {});
  EXPECT_THAT(made.entries, ElementsAre("A=1"));
}

TEST(TargetEnvironment, KeepsEqualsSignsInsideAValue) {
  EXPECT_THAT(make_environment({"OPTS=a=b=c"}, {}, {}).entries, ElementsAre("OPTS=a=b=c"));
}

}  // namespace
}  // namespace weighbridge::target
