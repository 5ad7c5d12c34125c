#include "reference/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "reference/schema.h"
#include "support.h"

namespace weighbridge::reference {
namespace {

using testing::catalogue;
using testing::operation;

TEST(Catalogue, HoldsAboutAThousandOperations) {
  EXPECT_GT(catalogue().operations().size(), 1000U);
  EXPECT_LT(catalogue().operations().size(), 1100U);
}

TEST(Catalogue, GivesEveryOperationAnIdOfItsOwn) {
  std::map<std::string, std::string> names;
  for (const auto& one : catalogue().operations()) {
    const auto name = tool_name(one);
    EXPECT_TRUE(names.emplace(name, one.path).second) << name << ": " << one.path;
    EXPECT_LE(name.size(), 64U) << name;
    EXPECT_LE(one.id.size(), kMaxIdLength);
    EXPECT_TRUE(std::regex_match(name, std::regex("gitlab_[a-z0-9_]+"))) << name;
    EXPECT_TRUE(std::regex_match(one.id, std::regex("[a-z0-9_]+\\.[a-z0-9_]+"))) << one.id;
  }
}

TEST(Catalogue, NumbersNoIdBecauseEveryOneIsSaidInWords) {
  for (const auto& one : catalogue().operations())
    EXPECT_FALSE(std::regex_search(one.id, std::regex("_[0-9]+$"))) << one.id << ' ' << one.path;
}

TEST(Catalogue, GivesEveryOperationATitleOfItsOwn) {
  std::set<std::string> titles;
  for (const auto& one : catalogue().operations())
    EXPECT_TRUE(titles.insert(one.title).second) << one.title;
}

TEST(Catalogue, PutsEveryOperationIntoAGroup) {
  for (const auto& one : catalogue().operations()) EXPECT_NE(one.group, 0) << one.domain;
}

TEST(Catalogue, FindsByIdAndByNameOfTheTool) {
  const auto* const found = catalogue().find("issues.list");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->path, "/projects/{id}/issues");
  EXPECT_EQ(catalogue().find("issues_list"), found);
  EXPECT_EQ(catalogue().find("issues.lis"), nullptr);
  EXPECT_EQ(catalogue().find(""), nullptr);
  EXPECT_EQ(catalogue().nearest_id("issues.lst"), "issues.list");
}

TEST(Catalogue, KnowsWhatAnOperationAnswers) {
  EXPECT_EQ(operation("issues.list").shape, Shape::list);
  EXPECT_EQ(operation("issue.get").shape, Shape::record);
  EXPECT_EQ(operation("issue.delete").shape, Shape::nothing);
  EXPECT_EQ(operation("job.trace").shape, Shape::content);
  EXPECT_EQ(operation("job_artifacts.download").shape, Shape::content);
  const auto record = [](std::string_view id) {
    return catalogue().resources()[operation(id).resource - 1U].name;
  };
  EXPECT_EQ(record("issues.list"), "issue");
  EXPECT_EQ(record("issue_note.create"), "note");
  EXPECT_EQ(record("group_integration_jira.update"), "integration");
  EXPECT_EQ(record("issue.time_estimate"), "time_stats");
}

TEST(Catalogue, ReadsParametersAsTheTableStatesThem) {
  const auto& parameters = operation("issues.list").parameters;
  const auto named = [&](std::string_view name) {
    return *std::ranges::find(parameters, name, &Parameter::name);
  };
  EXPECT_EQ(named("id").place, Place::path);
  EXPECT_TRUE(named("id").required);
  EXPECT_EQ(named("state").choices, "opened|closed|all");
  EXPECT_EQ(named("not[labels]").type, Type::strings);
  EXPECT_EQ(named("iids").type, Type::integers);
  EXPECT_EQ(named("confidential").type, Type::boolean);
}

TEST(Catalogue, DeclaresEveryParameterThatAPathNames) {
  for (const auto& one : catalogue().operations()) {
    for (auto rest = one.path; rest.contains('{');) {
      rest.remove_prefix(rest.find('{') + 1);
      const auto name = rest.substr(0, rest.find('}'));
      const auto found = std::ranges::find(one.parameters, name, &Parameter::name);
      ASSERT_NE(found, one.parameters.end()) << one.path << ' ' << name;
      EXPECT_EQ(found->place, Place::path) << one.path << ' ' << name;
    }
  }
}

// The schema writer relies on it.
TEST(Catalogue, KeepsTheMembersOfANestedParameterSideBySide) {
  for (const auto& one : catalogue().operations()) {
    std::set<std::string_view> seen;
    std::string_view last;
    for (const auto& parameter : one.parameters) {
      const auto root = name_step(parameter.name, 0);
      if (root == last) continue;
      EXPECT_TRUE(seen.insert(root).second) << one.path << ' ' << root;
      last = root;
    }
  }
}

TEST(Catalogue, NumbersIdsThatWouldBeTheSame) {
  const Catalogue small(
      "d\tGET\t/things/{id}\tid:path:string:required\n"
      "d\tGET\t/things/{thing_id}\tthing_id:path:string:required\n"
      "d\tGET\t/things/{other_id}\tother_id:path:string:required\n",
      "");
  ASSERT_EQ(small.operations().size(), 3U);
  EXPECT_EQ(small.operations()[0].id, "thing.get");
  EXPECT_EQ(small.operations()[1].id, "thing.get_2");
  EXPECT_EQ(small.operations()[2].id, "thing.get_3");
}

TEST(Catalogue, ShortensIdsThatAreTooLong) {
  const std::string segment(80, 'x');
  const Catalogue small("d\tGET\t/" + segment + "\t\nd\tGET\t/" + segment + "y\t\n", "");
  for (const auto& one : small.operations()) EXPECT_LE(one.id.size(), kMaxIdLength);
  EXPECT_NE(small.operations()[0].id, small.operations()[1].id);
}

TEST(Catalogue, PassesOverLinesThatAreNoOperations) {
  const Catalogue small("# remark\n\nd\tFETCH\t/a\t\nd\tGET\t/b\t\nd\tGET\t/c", "");
  ASSERT_EQ(small.operations().size(), 2U);
  EXPECT_EQ(small.operations()[1].path, "/c");
}

}  // namespace
}  // namespace weighbridge::reference
