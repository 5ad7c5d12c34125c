#include "cli/program.h"

#include <gtest/gtest.h>

#include "stage.h"

namespace weighbridge::cli {
namespace {

TEST(Program, AnErrorIsOneLineThatNamesTheProgram) {
  Stage stage;
  EXPECT_EQ(stage.run({"run", "--roudns"}), ExitCode::wrong_words);
  EXPECT_TRUE(stage.err.str().starts_with("weighbridge: "));
  EXPECT_EQ(stage.out.str(), "");
}

TEST(Program, AServersLastWordsCannotPlayWithTheScreen) {
  Stage stage;
  stage.result.record = {};
  stage.result.record.status = record::Status::broke_off;
  stage.result.error =
      Error{ErrorCode::target, "it ended at once. Its last lines:\n\x1b[2Jboom\nbang", {}, {}, 0};
  EXPECT_EQ(stage.run({"run", "--", "notes"}), ExitCode::target);
  EXPECT_EQ(stage.err.str(), "weighbridge: it ended at once. Its last lines:\n[2Jboom\nbang\n");
}

TEST(Program, HelpAndVersionAreResults) {
  Stage stage;
  EXPECT_EQ(stage.run({"--version"}), ExitCode::done);
  EXPECT_TRUE(stage.out.str().starts_with("weighbridge "));
  EXPECT_EQ(stage.err.str(), "");
}

TEST(Program, OutputThatCannotBeWrittenIsAnError) {
  Stage stage;
  stage.out.setstate(std::ios::badbit);
  EXPECT_EQ(stage.run({"--version"}), ExitCode::broke_off);
}

}  // namespace
}  // namespace weighbridge::cli
