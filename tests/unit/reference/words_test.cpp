#include "reference/words.h"

#include <gtest/gtest.h>

#include "reference/text_index.h"

namespace weighbridge::reference {
namespace {

TEST(Words, FindsEntriesByKindAndKey) {
  const Words words("# a remark\nverb\tapprove\tApprove\nnoun\tapprove\tother\nnonsense\ta\tb\n");
  ASSERT_NE(words.find(Words::Kind::verb, "approve"), nullptr);
  EXPECT_EQ(words.find(Words::Kind::verb, "approve")->columns[0], "Approve");
  EXPECT_EQ(words.find(Words::Kind::noun, "approve")->columns[0], "other");
  EXPECT_EQ(words.find(Words::Kind::verb, "reject"), nullptr);
}

TEST(Words, FindsAnActionByMethodAndPath) {
  const Words words("action\tGET\t/avatar\tavatar.find\tFind it\n");
  const auto* const entry = words.find(Words::Kind::action, "GET\t/avatar");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->columns[0], "avatar.find");
  EXPECT_EQ(entry->columns[1], "Find it");
}

TEST(Words, FindsWhatHoldsInOneContextOnly) {
  const Words words("param\tid\tplain\nparam\tid@group\tof a group\nparam\tother\tx\n");
  EXPECT_TRUE(words.has_contexts(Words::Kind::param, "id"));
  EXPECT_FALSE(words.has_contexts(Words::Kind::param, "other"));
  ASSERT_NE(words.find_in(Words::Kind::param, "id", "group"), nullptr);
  EXPECT_EQ(words.find_in(Words::Kind::param, "id", "group")->columns[0], "of a group");
  EXPECT_EQ(words.find_in(Words::Kind::param, "id", "user"), nullptr);
}

TEST(Words, MakesSingularsOfPathSegments) {
  EXPECT_EQ(singular("issues"), "issue");
  EXPECT_EQ(singular("branches"), "branch");
  EXPECT_EQ(singular("repositories"), "repository");
  EXPECT_EQ(singular("statuses"), "status");
  EXPECT_EQ(singular("project_aliases"), "project_alias");
  EXPECT_EQ(singular("releases"), "release");
  EXPECT_EQ(singular("status"), "status");
  EXPECT_EQ(singular("access"), "access");
  EXPECT_EQ(singular("statistics"), "statistics");
  EXPECT_EQ(singular("issues_statistics"), "issues_statistics");
}

TEST(Words, WritesIdentifiersAsProse) {
  const Words words("word\tci\tCI/CD\nword\tssh\tSSH\n");
  EXPECT_EQ(in_prose(words, "merge_request"), "merge request");
  EXPECT_EQ(in_prose(words, "ci_variables"), "CI/CD variables");
  EXPECT_EQ(in_prose(words, "apple-app-store"), "apple app store");
}

TEST(Words, ChoosesTheArticleBySound) {
  EXPECT_EQ(article("issue"), "an ");
  EXPECT_EQ(article("project"), "a ");
  EXPECT_EQ(article("SSH certificate"), "an ");
  EXPECT_EQ(article("user"), "a ");
  EXPECT_EQ(article("upload"), "an ");
}

TEST(TextIndex, FindsAgainWhatWasPutInAndGrows) {
  TextIndex index;
  for (std::uint16_t i = 0; i < 1000; ++i) index.insert(i % 7, i);  // nearly all collide
  for (std::uint16_t i = 0; i < 1000; ++i)
    EXPECT_EQ(index.find(i % 7, [&](auto value) { return value == i; }), i);
  EXPECT_EQ(index.find(3, [](auto) { return false; }), TextIndex::kNone);
  EXPECT_EQ(index.find(99, [](auto) { return true; }), TextIndex::kNone);
}

}  // namespace
}  // namespace weighbridge::reference
