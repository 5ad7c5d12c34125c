#include "cli/publishing.h"

#include <gtest/gtest.h>

#include "stage.h"

namespace weighbridge::cli {
namespace {

plan::Plan publishing_plan() {
  plan::Plan plan;
  plan.path = "plan.toml";
  plan.publish = plan::Publish{"docs/results/notes.json", {"docs/results/notes.md"}};
  return plan;
}

RunWords words_with_plan() {
  RunWords words;
  words.plan = "plan.toml";
  return words;
}

TEST(Publishing, AWholeRunPublishesWhatThePlanNames) {
  const Folder folder;
  const auto publication = publication_of(publishing_plan(), words_with_plan());
  ASSERT_TRUE(publication) << describe(publication.error());
  ASSERT_TRUE(publication->has_value());
  ASSERT_TRUE(publish(**publication, measured_record(), true));
  EXPECT_EQ(folder.files(),
            (std::vector<std::string>{"docs/results/notes.json", "docs/results/notes.md"}));
  EXPECT_TRUE(folder.read("docs/results/notes.md").starts_with("# What notes costs"));
}

TEST(Publishing, APlanThatPublishesNothingIsNotAskedTo) {
  const auto publication = publication_of({}, words_with_plan());
  ASSERT_TRUE(publication);
  EXPECT_FALSE(publication->has_value());
}

TEST(Publishing, APartialRunIsRefusedAndToldWhatToDo) {
  const Folder folder;
  for (const auto& alter : std::initializer_list<void (*)(RunWords&)>{
           [](RunWords& words) { words.quick = true; },
           [](RunWords& words) { words.only = "stdio-*"; },
           [](RunWords& words) { words.rounds = 1; },
           [](RunWords& words) { words.sample_interval = 1s; },
           [](RunWords& words) { words.env = {"A=b"}; }}) {
    RunWords words = words_with_plan();
    alter(words);
    const auto publication = publication_of(publishing_plan(), words);
    ASSERT_FALSE(publication);
    EXPECT_EQ(publication.error().code, ErrorCode::usage);
    EXPECT_NE(describe(publication.error()).find("-o DIR"), std::string::npos);
    EXPECT_NE(describe(publication.error()).find("--"), std::string::npos);
  }
  EXPECT_TRUE(folder.files().empty());
}

TEST(Publishing, APartialRunMayGoToAFolderOfItsOwn) {
  const Folder folder;
  RunWords words = words_with_plan();
  words.quick = true;
  words.output = "elsewhere";
  const auto publication = publication_of(publishing_plan(), words);
  ASSERT_TRUE(publication) << describe(publication.error());
  EXPECT_FALSE(publication->has_value());
}

TEST(Publishing, APartialRunCannotReachPublishedFilesByTheBackDoor) {
  const Folder folder;
  plan::Plan plan = publishing_plan();
  plan.publish->record = "docs/results/record.json";
  RunWords words = words_with_plan();
  words.quick = true;
  words.output = "docs/../docs/results";
  EXPECT_FALSE(publication_of(plan, words));
}

TEST(Publishing, PathsMayStartAtThePlan) {
  const Folder folder;
  plan::Plan plan = publishing_plan();
  plan.directory = (folder.path() / "plans").string();
  plan.publish->record = "{plan_dir}/notes.json";
  plan.publish->pages.clear();
  const auto publication = publication_of(plan, words_with_plan());
  ASSERT_TRUE(publication && publication->has_value());
  ASSERT_TRUE(publish(**publication, measured_record(), true));
  EXPECT_TRUE(folder.has("plans/notes.json"));
}

}  // namespace
}  // namespace weighbridge::cli
