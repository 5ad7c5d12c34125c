#include "reference/prose.h"

#include <gtest/gtest.h>

#include <set>

#include "support.h"

namespace weighbridge::reference {
namespace {

using testing::catalogue;
using testing::operation;

std::string sentence(std::string_view id, std::string_view name, std::string_view within = {}) {
  const auto& one = operation(id);
  for (const auto& parameter : one.parameters) {
    const auto wanted = within.empty() ? std::string(name)
                                       : std::string(within).append("[").append(name).append("]");
    if (parameter.name != wanted) continue;
    std::string out;
    ParameterProse(catalogue().words(), one).append_sentence(out, name, within, parameter);
    return out;
  }
  return "no such parameter";
}

TEST(ParameterProse, SaysWhichThingAnIdMeans) {
  EXPECT_EQ(sentence("issues.list", "id"),
            "Project: its number, or its full path such as `group/name`.");
  EXPECT_EQ(sentence("group_labels.list", "id"),
            "Group: its number, or its full path such as `parent/child`.");
  EXPECT_EQ(sentence("runner.get", "id"), "Number of the runner.");
  EXPECT_EQ(sentence("issue.get", "issue_iid"),
            "Number of the issue within its project or group, as shown in its address.");
}

TEST(ParameterProse, DependsOnThePlaceWhereTheVocabularySaysSo) {
  EXPECT_NE(sentence("branch.create", "ref"), sentence("pipeline.create", "ref"));
  EXPECT_NE(sentence("instance.search", "scope"), sentence("issues.list", "scope"));
}

TEST(ParameterProse, SaysWhatAnExclusionLeavesOut) {
  EXPECT_EQ(sentence("issues.list", "milestone", "not"), "Leaves out those with this milestone.");
  EXPECT_EQ(sentence("issues.list", "labels", "not"),
            "Leaves out those with any of these: labels.");
}

TEST(ParameterProse, SaysSomethingAboutEveryParameter) {
  for (const auto& one : catalogue().operations()) {
    const ParameterProse prose(catalogue().words(), one);
    for (const auto& parameter : one.parameters) {
      std::string out;
      prose.append_sentence(out, parameter.name.substr(0, parameter.name.find('[')), "", parameter);
      EXPECT_GE(out.size(), 5U) << one.id << ' ' << parameter.name;
      EXPECT_TRUE(out.ends_with('.')) << out;
      EXPECT_FALSE(out.contains('%')) << out;
    }
  }
}

TEST(Description, IsDistinctForEveryOperationAndSaysWhatItCalls) {
  std::set<std::string> all;
  for (const auto& one : catalogue().operations()) {
    std::string text;
    append_description(text, catalogue(), one);
    EXPECT_TRUE(text.starts_with(one.title + ".")) << text;
    EXPECT_TRUE(text.contains(one.path)) << text;
    EXPECT_TRUE(all.insert(text).second) << text;
  }
}

TEST(Description, TellsWhatACallerMustKnow) {
  const auto describe = [](std::string_view id) {
    std::string text;
    append_description(text, catalogue(), operation(id));
    return text;
  };
  EXPECT_TRUE(describe("issues.list").contains("page and per_page"));
  EXPECT_TRUE(describe("issue.delete").contains("cannot be undone"));
  EXPECT_TRUE(describe("issue.update").contains("keeps its value"));
  EXPECT_TRUE(describe("job.trace").contains("base64"));
  EXPECT_TRUE(describe("issue.get").contains("read_api"));
  EXPECT_TRUE(describe("issue.create").contains("scope api"));
  EXPECT_TRUE(describe("issue.create").contains("See also issues.list, issue.get, issue.update."));
}

}  // namespace
}  // namespace weighbridge::reference
