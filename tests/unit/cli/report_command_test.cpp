#include <gtest/gtest.h>

#include "record/json.h"
#include "stage.h"

namespace weighbridge::cli {
namespace {

class ReportCommand : public testing::Test {
 protected:
  ReportCommand() { stage_.folder.write("record.json", record::to_json(measured_record())); }
  Stage stage_;
};

TEST_F(ReportCommand, DrawsTablesForTheScreen) {
  EXPECT_EQ(stage_.run({"report", "record.json"}), ExitCode::done);
  EXPECT_NE(stage_.out.str().find("What a client waits for"), std::string::npos);
}

TEST_F(ReportCommand, DrawsAPage) {
  EXPECT_EQ(stage_.run({"report", "record.json", "--format", "markdown"}), ExitCode::done);
  EXPECT_TRUE(stage_.out.str().starts_with("# What notes costs\n"));
}

TEST_F(ReportCommand, GivesTheRecordBackByteForByte) {
  EXPECT_EQ(stage_.run({"report", "record.json", "--format", "json"}), ExitCode::done);
  EXPECT_EQ(stage_.out.str(), record::to_json(measured_record()));
}

TEST_F(ReportCommand, WritesIntoAFolderAndSaysWhere) {
  EXPECT_EQ(stage_.run({"report", "record.json", "-o", "pages/new"}), ExitCode::done);
  EXPECT_EQ(stage_.out.str(), "pages/new/report.md\n");
  EXPECT_TRUE(stage_.folder.read("pages/new/report.md").starts_with("# What notes costs\n"));
}

TEST_F(ReportCommand, ARecordThatIsMissingOrBrokenIsAWrongWord) {
  EXPECT_EQ(stage_.run({"report", "nowhere.json"}), ExitCode::wrong_words);
  stage_.folder.write("broken.json", "{\"schema\": 1,");
  EXPECT_EQ(stage_.run({"report", "broken.json"}), ExitCode::wrong_words);
  EXPECT_NE(stage_.err.str().find("broken.json"), std::string::npos);
  EXPECT_EQ(stage_.run({"report", "."}), ExitCode::wrong_words);
}

TEST_F(ReportCommand, AFileWhereTheFolderShouldBeIsAWrongWord) {
  EXPECT_EQ(stage_.run({"report", "record.json", "-o", "record.json"}), ExitCode::wrong_words);
}

}  // namespace
}  // namespace weighbridge::cli
