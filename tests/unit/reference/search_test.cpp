#include "reference/search.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"

namespace weighbridge::reference {
namespace {

using testing::catalogue;

const SearchIndex& search_index() {
  static const SearchIndex all(catalogue());
  return all;
}

std::vector<std::string> best(std::string_view query, std::size_t count) {
  std::vector<std::string> ids;
  for (const auto& hit : search_index().find(query, count, false).hits)
    ids.push_back(hit.operation->id);
  return ids;
}

void expect_first(std::string_view query, std::string_view id) {
  const auto ids = best(query, 1);
  ASSERT_EQ(ids.size(), 1U) << query;
  EXPECT_EQ(ids[0], id) << query;
}

void expect_among(std::string_view query, std::size_t count, std::string_view id) {
  const auto ids = best(query, count);
  EXPECT_NE(std::ranges::find(ids, id), ids.end()) << query << " should give " << id;
}

TEST(Stem, JoinsTheFormsOfAWord) {
  const auto stem = [](std::string_view word) { return std::string(Stem(word).text()); };
  EXPECT_EQ(stem("Issues"), stem("issue"));
  EXPECT_EQ(stem("branches"), stem("branch"));
  EXPECT_EQ(stem("repositories"), stem("repository"));
  EXPECT_EQ(stem("protected"), stem("protect"));
  EXPECT_EQ(stem("merging"), stem("merge"));
  EXPECT_EQ(stem("merged"), stem("merge"));
  EXPECT_EQ(stem("running"), stem("run"));
  EXPECT_NE(stem("status"), stem("stat"));
  EXPECT_LE(stem(std::string(100, 'x')).size(), 32U);
}

TEST(Search, PutsTheActionThatSaysItFirst) {
  expect_first("list issues", "issues.list");
  expect_first("create merge request", "merge_request.create");
  expect_first("download job artifacts", "job_artifacts.download");
  expect_first("approve merge request", "merge_request.approve");
  expect_first("rotate access token", "access_token.rotate");
  expect_first("create release", "release.create");
  expect_first("list group projects", "group_projects.list");
  expect_first("delete group label", "group_label.delete");
}

TEST(Search, UnderstandsFillersAndOtherForms) {
  expect_among("protect a branch", 2, "branch.protect");
  expect_among("protect a branch", 2, "protected_branch.protect");
  expect_first("add a member to a group", "group_member.add");
  expect_among("Please show me all of my project's issues!", 3, "issues.list");
  expect_first("retry failed pipeline", "pipeline.retry");
}

TEST(Search, UnderstandsEverydayWordsForGitLabsOwn) {
  expect_first("open a PR", "merge_request.create");
  expect_first("read job log", "job.trace");
  expect_first("comment on an issue", "issue_note.create");
  expect_first("list sprints", "iterations.list");
  expect_first("delete a secret variable", "ci_variable.delete");
}

TEST(Search, PrefersProjectsUnlessAnotherPlaceIsNamed) {
  expect_first("list labels", "labels.list");
  expect_first("list group labels", "group_labels.list");
}

TEST(Search, RanksByFallingScoreAndKeepsToTheLimit) {
  const auto found = search_index().find("list issues", 50, false);
  EXPECT_EQ(found.hits.size(), 50U);
  EXPECT_GT(found.total, 50U);
  EXPECT_TRUE(std::ranges::is_sorted(found.hits, std::ranges::greater{}, &Hit::score));
}

TEST(Search, AnswersTheSameQueryTheSameWay) {
  EXPECT_EQ(best("merge request notes", 20), best("merge request notes", 20));
}

TEST(Search, FindsNothingForWordsItDoesNotKnow) {
  for (const auto* query : {"", "   ", "the of", "xyzzy", "日本語", "\xff\xfe"})
    EXPECT_EQ(search_index().find(query, 20, false).total, 0U) << query;
}

TEST(Search, TellsWhyWhenAsked) {
  const auto found = search_index().find("list issues", 1, true);
  ASSERT_EQ(found.hits.size(), 1U);
  const auto& why = found.hits[0].why;
  ASSERT_EQ(why.size(), 2U);
  EXPECT_EQ(why[0].word, "list");
  EXPECT_GT(why[0].added, 0);
  EXPECT_TRUE(search_index().find("list issues", 1, false).hits[0].why.empty());
}

TEST(Search, FindsEveryActionByItsOwnTitle) {
  std::size_t among_first_five = 0;
  for (const auto& operation : catalogue().operations()) {
    const auto ids = best(operation.title, 5);
    among_first_five += static_cast<std::size_t>(std::ranges::count(ids, operation.id));
  }
  EXPECT_GT(among_first_five, catalogue().operations().size() * 95 / 100);
}

TEST(Search, TakesAVeryLongQuery) {
  std::string query;
  for (int i = 0; i < 1000; ++i) query += "issue list ";
  EXPECT_FALSE(best(query, 1).empty());
}

}  // namespace
}  // namespace weighbridge::reference
