#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stage.h"

namespace weighbridge::cli {
namespace {

using testing::HasSubstr;

TEST(LoadCommand, KeepsRecordAndReportAndShowsTheSteps) {
  Stage stage;
  EXPECT_EQ(stage.run({"load", "-o", "out", "--", "notes"}), ExitCode::done);
  EXPECT_THAT(stage.folder.read("out/record.json"), HasSubstr("\"mode\": \"load\""));
  EXPECT_THAT(stage.folder.read("out/report.md"), HasSubstr("closed loop"));
  EXPECT_THAT(stage.out.str(), HasSubstr("All 7 calls were served."));
  EXPECT_EQ(stage.plan.stdio->command, std::vector<std::string>{"notes"});
  EXPECT_EQ(stage.load_options.supervisor_program, "/opt/weighbridge");
}

TEST(LoadCommand, GivesTheRecordToMachines) {
  Stage stage;
  EXPECT_EQ(stage.run({"load", "--json", "-o", "out", "--", "notes"}), ExitCode::done);
  EXPECT_EQ(stage.out.str(), stage.folder.read("out/record.json"));
}

TEST(LoadCommand, LeavesNothingBehindWhenNothingWasMeasured) {
  Stage stage;
  stage.load_result.record.steps.clear();
  stage.load_result.record.status = record::Status::broke_off;
  stage.load_result.error = Error{ErrorCode::target, "it never answered", {}, {}, 0};
  EXPECT_EQ(stage.run({"load", "-o", "out", "--", "notes"}), ExitCode::target);
  EXPECT_TRUE(stage.folder.files().empty());
}

TEST(LoadCommand, KeepsWhatWasMeasuredBeforeItBrokeOff) {
  Stage stage;
  stage.load_result.record.status = record::Status::broke_off;
  stage.load_result.error = Error{ErrorCode::run, "the target ended by itself", {}, {}, 0};
  EXPECT_EQ(stage.run({"load", "-o", "out", "--", "notes"}), ExitCode::broke_off);
  EXPECT_TRUE(stage.folder.has("out/record.json"));
  EXPECT_THAT(stage.err.str(), HasSubstr("the target ended by itself"));
}

TEST(LoadCommand, RefusesWordsBeforeItMakesAFolder) {
  Stage stage;
  EXPECT_EQ(stage.run({"load", "--rate", "0", "-o", "out", "--", "notes"}), ExitCode::wrong_words);
  EXPECT_EQ(stage.runs, 0);
  EXPECT_TRUE(stage.folder.files().empty());
}

}  // namespace
}  // namespace weighbridge::cli
