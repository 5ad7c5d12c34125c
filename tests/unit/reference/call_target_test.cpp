#include "reference/call_target.h"

#include <gtest/gtest.h>

#include "support.h"

namespace weighbridge::reference {
namespace {

using testing::Arguments;
using testing::catalogue;
using testing::operation;
using Kind = CallTarget::Kind;

Result<CallTarget> resolve(Surface surface, std::string_view tool, const Arguments& arguments) {
  return resolve_call(surface, catalogue(), tool, arguments.get());
}

std::string problem(Surface surface, std::string_view tool, const std::string& arguments) {
  const auto target = resolve(surface, tool, Arguments(arguments));
  return target ? "none" : target.error().what;
}

TEST(CallTarget, IsTheOperationThatExecuteNames) {
  const Arguments arguments(R"({"action":"issues.list","params":{"id":1}})");
  const auto target = resolve(Surface::dynamic, "gitlab_execute_action", arguments);
  ASSERT_TRUE(target);
  EXPECT_EQ(target->kind, Kind::operation);
  EXPECT_EQ(target->operation, &operation("issues.list"));
  EXPECT_TRUE(target->has_arguments);
  EXPECT_EQ(target->arguments.size(), 1U);
}

TEST(CallTarget, IsTheOperationOfATool) {
  const Arguments arguments(R"({"id":1})");
  const auto target = resolve(Surface::individual, "gitlab_issues_list", arguments);
  ASSERT_TRUE(target);
  EXPECT_EQ(target->operation, &operation("issues.list"));
}

TEST(CallTarget, IsTheActionOfAGroup) {
  const auto target =
      resolve(Surface::meta, "gitlab_issues", Arguments(R"({"action":"issues.list"})"));
  ASSERT_TRUE(target);
  EXPECT_EQ(target->operation, &operation("issues.list"));
  EXPECT_FALSE(target->has_arguments);
}

TEST(CallTarget, OffersTheToolsOfItsOwnSurfaceOnly) {
  const Arguments none("{}");
  const auto kind = [&](Surface surface, std::string_view tool) {
    const auto target = resolve(surface, tool, none);
    return target ? target->kind : Kind::operation;
  };
  EXPECT_EQ(kind(Surface::dynamic, "gitlab_find_action"), Kind::find);
  EXPECT_EQ(kind(Surface::individual, "gitlab_find_action"), Kind::unknown_tool);
  EXPECT_EQ(kind(Surface::dynamic, "gitlab_issues_list"), Kind::unknown_tool);
  EXPECT_EQ(kind(Surface::individual, "gitlab_issues"), Kind::unknown_tool);
  EXPECT_EQ(kind(Surface::individual, "gitlab_issues.list"), Kind::unknown_tool);
  EXPECT_EQ(kind(Surface::meta, "issues"), Kind::unknown_tool);
  for (const auto surface : {Surface::dynamic, Surface::meta, Surface::individual}) {
    EXPECT_EQ(kind(surface, "null"), Kind::null);
    EXPECT_EQ(kind(surface, "gitlab_server_status"), Kind::status);
    EXPECT_EQ(kind(surface, ""), Kind::unknown_tool);
  }
}

TEST(CallTarget, SaysWhatIsWrongWithTheChoice) {
  EXPECT_EQ(problem(Surface::dynamic, "gitlab_execute_action", "{}"),
            "the required parameter action is missing");
  EXPECT_EQ(problem(Surface::dynamic, "gitlab_execute_action", R"({"action":"issues.lst"})"),
            "there is no action issues.lst; did you mean issues.list?");
  EXPECT_EQ(
      problem(Surface::dynamic, "gitlab_execute_action", R"({"action":"issues.list","id":1})"),
      "there is no parameter id; parameters of the action go into params");
  EXPECT_EQ(
      problem(Surface::dynamic, "gitlab_execute_action", R"({"action":"issues.list","params":5})"),
      "params must be an object");
  EXPECT_EQ(problem(Surface::meta, "gitlab_issues", R"({"action":"pipelines.list"})"),
            "the action pipelines.list belongs to the tool gitlab_pipelines");
}

}  // namespace
}  // namespace weighbridge::reference
