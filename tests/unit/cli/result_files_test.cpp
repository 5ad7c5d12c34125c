#include "cli/result_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "stage.h"

namespace weighbridge::cli {
namespace {

namespace fs = std::filesystem;

TEST(ResultFiles, AreNamedAfterTheRunAndItsTime) {
  const Folder folder;
  const auto files = ResultFiles::open("", "notes", "20261130T170000Z");
  ASSERT_TRUE(files) << describe(files.error());
  EXPECT_EQ(files->record_path(), "weighbridge-results/notes-20261130T170000Z/record.json");
  EXPECT_TRUE(fs::is_directory("weighbridge-results/notes-20261130T170000Z"));
}

TEST(ResultFiles, ASecondRunInTheSameSecondGetsAFolderOfItsOwn) {
  const Folder folder;
  const auto first = ResultFiles::open("", "notes", "20261130T170000Z");
  const auto second = ResultFiles::open("", "notes", "20261130T170000Z");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(second->record_path(), "weighbridge-results/notes-20261130T170000Z-2/record.json");
}

TEST(ResultFiles, OpeningLeavesNothingBehindAndAnOlderRecordAlone) {
  const Folder folder;
  folder.write("out/record.json", "older");
  ASSERT_TRUE(ResultFiles::open("out", "notes", ""));
  EXPECT_EQ(folder.files(), std::vector<std::string>{"out/record.json"});
  EXPECT_EQ(folder.read("out/record.json"), "older");
}

TEST(ResultFiles, AFileInTheWayIsToldBeforeAnythingStarts) {
  const Folder folder;
  folder.write("out", "a file");
  const auto files = ResultFiles::open("out", "notes", "");
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().code, ErrorCode::usage);
}

TEST(ResultFiles, AFolderWhereTheRecordShouldGoIsToldBeforeAnythingStarts) {
  const Folder folder;
  folder.write("out/record.json/x", "");
  EXPECT_FALSE(ResultFiles::open("out", "notes", ""));
}

TEST(ResultFiles, AFolderThatMayNotBeWrittenIsToldBeforeAnythingStarts) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  const Folder folder;
  fs::create_directory("locked");
  fs::permissions("locked", fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_FALSE(ResultFiles::open("locked", "notes", ""));
  EXPECT_FALSE(ResultFiles::open("locked/inner", "notes", ""));
}

TEST(ResultFiles, AnUnusedFolderIsTakenAwayAndAUsedOneStays) {
  const Folder folder;
  const auto unused = ResultFiles::open("", "notes", "1");
  ASSERT_TRUE(unused);
  unused->remove_if_unused();
  EXPECT_FALSE(folder.has("weighbridge-results"));
  const auto used = ResultFiles::open("", "notes", "2");
  ASSERT_TRUE(used);
  ASSERT_TRUE(used->save_record(measured_record()));
  used->remove_if_unused();
  EXPECT_TRUE(folder.has("weighbridge-results/notes-2/record.json"));
}

TEST(ResultFiles, AFolderThatWasThereBeforeIsNeverTakenAway) {
  const Folder folder;
  fs::create_directory("mine");
  const auto files = ResultFiles::open("mine", "notes", "");
  ASSERT_TRUE(files);
  files->remove_if_unused();
  EXPECT_TRUE(folder.has("mine"));
}

}  // namespace
}  // namespace weighbridge::cli
