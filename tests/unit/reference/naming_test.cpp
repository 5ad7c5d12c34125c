#include "reference/naming.h"

#include <gtest/gtest.h>

#include "reference/embedded.h"

namespace weighbridge::reference {
namespace {

std::string id(Method method, std::string_view path, bool collection = false) {
  static const Words words(embedded_words());
  return name_of(words, method, path, collection).id;
}
std::string title(Method method, std::string_view path) {
  static const Words words(embedded_words());
  return name_of(words, method, path, false).title;
}

TEST(ShapeOf, TakesAPathApart) {
  const auto shape = shape_of("/projects/{id}/issues/{issue_iid}/error_tracking/client_keys");
  EXPECT_EQ(shape.container, "project");
  EXPECT_EQ(shape.container_parameter, "id");
  ASSERT_EQ(shape.count, 2U);
  EXPECT_EQ(shape.parts[0].segments, "issues");
  EXPECT_EQ(shape.parts[0].parameter, "issue_iid");
  EXPECT_EQ(shape.parts[1].segments, "error_tracking/client_keys");
  EXPECT_EQ(shape.parts[1].parameter, "");
}

TEST(ShapeOf, KnowsThatACollectionOfContainersHasNone) {
  EXPECT_EQ(shape_of("/projects").container, "");
  EXPECT_EQ(shape_of("/projects/import").container, "");
  EXPECT_EQ(shape_of("/user/status").container, "current_user");
}

TEST(ShapeOf, SkipsSegmentsThatMeanNothing) {
  const auto shape = shape_of("/groups/{id}/-/packages/composer/p/{sha}");
  ASSERT_EQ(shape.count, 1U);
  EXPECT_EQ(identifier(shape.parts[0], true), "package_composer");
}

TEST(NameOf, ReadsAsANounAndAVerb) {
  EXPECT_EQ(id(Method::get, "/projects/{id}"), "project.get");
  EXPECT_EQ(id(Method::get, "/projects"), "projects.list");
  EXPECT_EQ(id(Method::get, "/projects/{id}/issues"), "issues.list");
  EXPECT_EQ(id(Method::post, "/projects/{id}/issues"), "issue.create");
  EXPECT_EQ(id(Method::put, "/projects/{id}/issues/{issue_iid}"), "issue.update");
  EXPECT_EQ(id(Method::remove, "/groups/{id}/labels/{label_id}"), "group_label.delete");
  EXPECT_EQ(id(Method::get, "/groups/{id}/push_rule"), "group_push_rule.get");
  EXPECT_EQ(id(Method::get, "/projects/{id}/issues/{issue_iid}/links"), "issue_links.list");
}

TEST(NameOf, TakesActionsInThePathForVerbs) {
  EXPECT_EQ(id(Method::post, "/projects/{id}/archive"), "project.archive");
  EXPECT_EQ(id(Method::put, "/projects/{id}/merge_requests/{merge_request_iid}/merge"),
            "merge_request.merge");
  EXPECT_EQ(id(Method::get, "/projects/{id}/jobs/{job_id}/trace"), "job.trace");
}

TEST(NameOf, ListsWhereEntriesLieBelow) {
  EXPECT_EQ(id(Method::get, "/projects/{id}/award_emoji", true), "award_emoji.list");
  EXPECT_EQ(id(Method::get, "/projects/{id}/award_emoji", false), "award_emoji.get");
}

TEST(NameOf, SaysTheWholeThingInTheTitle) {
  EXPECT_EQ(title(Method::get, "/projects/{id}/issues"), "List issues of a project");
  EXPECT_EQ(title(Method::post, "/groups/{id}/access_tokens/{token_id}/rotate"),
            "Rotate an access token of a group");
  EXPECT_EQ(title(Method::remove,
                  "/projects/{id}/issues/{issue_iid}/notes/{note_id}/award_emoji/"
                  "{award_id}"),
            "Delete an award emoji of a note of an issue of a project");
}

}  // namespace
}  // namespace weighbridge::reference
