#include <gtest/gtest.h>

#include "record/json.h"
#include "stage.h"

namespace weighbridge::cli {
namespace {

constexpr const char* kResults = "weighbridge-results/notes-20261130T170000Z";

bool says(const std::ostringstream& stream, const std::string& part) {
  return stream.str().find(part) != std::string::npos;
}

Error error_of(ErrorCode code, std::string what) {
  return {code, std::move(what), {}, {}, 0};
}

TEST(RunCommand, KeepsARecordAndAReportAndSaysWhere) {
  Stage stage;
  EXPECT_EQ(stage.run({"run", "--", "notes"}), ExitCode::done);
  const std::string results = kResults;
  EXPECT_EQ(stage.folder.files(),
            (std::vector<std::string>{results + "/record.json", results + "/report.md"}));
  EXPECT_TRUE(says(stage.out, "Memory (MiB), threads and processor time"));
  EXPECT_TRUE(says(stage.out, "record  " + results + "/record.json\n"));
  EXPECT_TRUE(says(stage.out, "report  " + results + "/report.md\n"));
  EXPECT_EQ(stage.err.str(), "");
}

TEST(RunCommand, DrawsWhatItsRecordDrawsLater) {
  Stage stage;
  // 61.4 in three digits; the record's six decimals make it 61.45, which is 61.5.
  stage.result.record.scenarios[0].summary.one_client_mib->value = 61.4499999;
  EXPECT_EQ(stage.run({"run", "-o", "out", "--", "notes"}), ExitCode::done);
  const std::string drawn = stage.folder.read("out/report.md");
  EXPECT_NE(drawn.find("61.5"), std::string::npos);
  stage.out.str("");
  EXPECT_EQ(stage.run({"report", "out/record.json", "--format", "markdown"}), ExitCode::done);
  EXPECT_EQ(stage.out.str(), drawn);
}

TEST(RunCommand, HandsPlanAndOptionsToTheMode) {
  Stage stage;
  EXPECT_EQ(stage.run({"run", "--quick", "--only", "stdio*", "-o", "out", "--", "notes", "--fast"}),
            ExitCode::done);
  EXPECT_EQ(stage.plan.stdio->command, (std::vector<std::string>{"notes", "--fast"}));
  EXPECT_EQ(stage.plan.run.repeat, 1);
  EXPECT_TRUE(stage.options.quick);
  EXPECT_EQ(stage.options.only, "stdio*");
  EXPECT_EQ(stage.options.supervisor_program, "/opt/weighbridge");
  EXPECT_FALSE(stage.options.build.version.empty());
}

TEST(RunCommand, WithJsonStandardOutputIsTheRecordAndNothingElse) {
  Stage stage;
  EXPECT_EQ(stage.run({"run", "--json", "--", "notes"}), ExitCode::done);
  EXPECT_EQ(stage.out.str(), record::to_json(measured_record()));
  EXPECT_TRUE(says(stage.err, "record  "));
}

TEST(RunCommand, LeavesTheReportOutWhenToldTo) {
  Stage stage;
  EXPECT_EQ(stage.run({"run", "--no-report", "-o", "out", "--", "notes"}), ExitCode::done);
  EXPECT_EQ(stage.folder.files(), std::vector<std::string>{"out/record.json"});
  EXPECT_FALSE(says(stage.out, "report.md"));
}

TEST(RunCommand, SavesAfterEveryStep) {
  Stage stage;
  stage.meanwhile = [&](modes::Observer& observer) {
    record::Record first = measured_record();
    first.name = "after-one-step";
    ASSERT_TRUE(observer.on_step(first));
    EXPECT_NE(stage.folder.read("out/record.json").find("after-one-step"), std::string::npos);
  };
  EXPECT_EQ(stage.run({"run", "-o", "out", "--", "notes"}), ExitCode::done);
}

TEST(RunCommand, ARunThatBreaksOffKeepsAndShowsWhatItHas) {
  Stage stage;
  stage.result.record.status = record::Status::broke_off;
  stage.result.record.broke_off_because = "the server ended";
  stage.result.error = error_of(ErrorCode::run, "the server ended");
  EXPECT_EQ(stage.run({"run", "-o", "out", "--", "notes"}), ExitCode::broke_off);
  EXPECT_TRUE(stage.folder.has("out/record.json"));
  EXPECT_NE(stage.folder.read("out/report.md").find("This run broke off: the server ended"),
            std::string::npos);
  EXPECT_TRUE(says(stage.out, "This run broke off"));
  EXPECT_EQ(stage.err.str(), "weighbridge: the server ended\n");
}

TEST(RunCommand, AServerThatNeverStartedLeavesNoFiles) {
  Stage stage;
  stage.result.record = {};
  stage.result.record.status = record::Status::broke_off;
  stage.result.error = error_of(ErrorCode::target, "notes: no such command");
  EXPECT_EQ(stage.run({"run", "--", "notes"}), ExitCode::target);
  EXPECT_FALSE(stage.folder.has("weighbridge-results"));
  EXPECT_EQ(stage.out.str(), "");
}

TEST(RunCommand, AServerThatNeverStartedLeavesAnOlderRecordAlone) {
  Stage stage;
  stage.folder.write("out/record.json", "older");
  stage.result.record = {};
  stage.result.record.status = record::Status::broke_off;
  stage.result.error = error_of(ErrorCode::target, "notes: no such command");
  EXPECT_EQ(stage.run({"run", "-o", "out", "--", "notes"}), ExitCode::target);
  EXPECT_EQ(stage.folder.read("out/record.json"), "older");
}

TEST(RunCommand, AnInterruptedRunIsKeptEvenWhenItHadJustBegun) {
  Stage stage;
  stage.result.record = {};
  stage.result.record.status = record::Status::interrupted;
  stage.result.error = error_of(ErrorCode::interrupted, "interrupted");
  EXPECT_EQ(stage.run({"run", "-o", "out", "--", "notes"}), ExitCode::interrupted);
  EXPECT_TRUE(stage.folder.has("out/record.json"));
}

TEST(RunCommand, ARecordThatCannotBeSavedEndsTheRunAndKeepsTheOlderFile) {
  Stage stage;
  Result<void> saved;
  stage.meanwhile = [&](modes::Observer& observer) {
    ASSERT_TRUE(observer.on_step(measured_record()));
    // A folder where the file has to go fails for root too, as a full disk would.
    std::filesystem::rename("out/record.json", "out/kept.json");
    std::filesystem::create_directories("out/record.json/blocked");
    saved = observer.on_step(measured_record());
    std::filesystem::remove_all("out/record.json");
    std::filesystem::rename("out/kept.json", "out/record.json");
    if (!saved) stage.result.error = saved.error();
  };
  EXPECT_EQ(stage.run({"run", "-o", "out", "--", "notes"}), ExitCode::broke_off);
  EXPECT_FALSE(saved);
  EXPECT_TRUE(stage.folder.has("out/record.json"));
}

TEST(RunCommand, ABadPathCostsNoMeasurement) {
  Stage stage;
  stage.folder.write("out", "a file");
  EXPECT_EQ(stage.run({"run", "-o", "out", "--", "notes"}), ExitCode::wrong_words);
  EXPECT_EQ(stage.runs, 0);
  EXPECT_TRUE(says(stage.err, "weighbridge: cannot write results to out"));
}

TEST(RunCommand, NotesAreForThoseWhoAskForThem) {
  for (const bool verbose : {false, true}) {
    Stage stage;
    stage.meanwhile = [](modes::Observer& observer) { observer.on_note("notes 1.0, 3 tools"); };
    std::vector<std::string> arguments = {"run", "-o", "out", "--", "notes"};
    if (verbose) arguments.insert(arguments.begin() + 1, "-v");
    EXPECT_EQ(stage.run(arguments), ExitCode::done);
    EXPECT_EQ(says(stage.err, "notes 1.0, 3 tools\n"), verbose);
  }
}

TEST(RunCommand, ProgressStaysOffStandardOutput) {
  Stage stage;
  stage.meanwhile = [](modes::Observer& observer) {
    modes::Progress progress;
    progress.scenario = "stdio";
    progress.step = 1;
    progress.steps = 3;
    observer.on_progress(progress);
  };
  EXPECT_EQ(stage.run({"run", "-o", "out", "--", "notes"}), ExitCode::done);
  EXPECT_EQ(stage.err.str(), "[1/3] stdio\n");
  EXPECT_FALSE(says(stage.out, "[1/3]"));
}

class PublishingRun : public testing::Test {
 protected:
  PublishingRun() {
    stage_.folder.write("plan.toml",
                        "schema = 1\nname = \"notes\"\n[target.stdio]\ncommand = [\"notes\"]\n"
                        "[publish]\nrecord = \"docs/notes.json\"\npages = [\"docs/notes.md\"]\n");
  }
  Stage stage_;
};

TEST_F(PublishingRun, PublishesAWholeRun) {
  EXPECT_EQ(stage_.run({"run", "plan.toml"}), ExitCode::done);
  EXPECT_EQ(stage_.folder.read("docs/notes.json"), record::to_json(measured_record()));
  EXPECT_TRUE(stage_.folder.has("docs/notes.md"));
  EXPECT_TRUE(says(stage_.out, "published  docs/notes.md"));
}

TEST_F(PublishingRun, RefusesAQuickRunBeforeAnythingStarts) {
  EXPECT_EQ(stage_.run({"run", "plan.toml", "--quick"}), ExitCode::wrong_words);
  EXPECT_EQ(stage_.runs, 0);
  EXPECT_EQ(stage_.folder.files(), std::vector<std::string>{"plan.toml"});
}

TEST_F(PublishingRun, LeavesPublishedFiguresAloneWhenTheRunBreaksOff) {
  stage_.folder.write("docs/notes.json", "older");
  stage_.result.record.status = record::Status::interrupted;
  stage_.result.error = error_of(ErrorCode::interrupted, "interrupted");
  EXPECT_EQ(stage_.run({"run", "plan.toml"}), ExitCode::interrupted);
  EXPECT_EQ(stage_.folder.read("docs/notes.json"), "older");
  EXPECT_FALSE(stage_.folder.has("docs/notes.md"));
}

}  // namespace
}  // namespace weighbridge::cli
