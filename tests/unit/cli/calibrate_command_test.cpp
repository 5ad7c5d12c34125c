#include "cli/calibrate_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/calibration_store.h"
#include "cli/version.h"
#include "modes/assemble.h"
#include "os/host.h"
#include "record/json.h"
#include "stage.h"

namespace weighbridge::cli {
namespace {

using record::WeightVerdict;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Of this host and build, with one weight that was judged.
record::Calibration calibrated(WeightVerdict verdict = WeightVerdict::within) {
  record::Calibration calibration;
  calibration.generated_at = "2026-11-30T17:00:00Z";
  calibration.host = modes::host_of(os::read_host_facts(), {});
  calibration.build = this_build();
  record::KnownWeight& weight = calibration.weights.emplace_back();
  weight.id = "memory-50k";
  weight.kind = "memory";
  weight.unit = "KiB";
  weight.truth = 50;
  weight.measured = 50.1;
  weight.verdict = verdict;
  weight.weighings.resize(1);
  calibration.accuracy = {.calibrated_at = calibration.generated_at,
                          .memory_percent = 0.2,
                          .cpu_percent = {},
                          .p99_us = {},
                          .weights = 1,
                          .weights_within = 1};
  return calibration;
}

/// A stage whose scale shows what it is told to.
class Bench : public Stage {
 public:
  Bench() {
    folder.write("bin/reference-server", "");
    world.program = (folder.path() / "bin/weighbridge").string();
    world.state_home = (folder.path() / "state").string();
    world.calibrate = [this](const modes::CalibrationOptions& wanted, modes::Observer& observer) {
      ++calibrations;
      asked = wanted;
      if (auto saved = observer.on_step(outcome.calibration); !saved) outcome.error = saved.error();
      return outcome;
    };
    outcome.calibration = calibrated();
  }

  [[nodiscard]] std::optional<record::Accuracy> kept() const {
    return accuracy_here(world.state_home);
  }

  int calibrations = 0;
  modes::CalibrationOptions asked;
  modes::CalibrationResult outcome;
};

TEST(Calibrate, WritesRecordAndReportAndKeepsTheAnswerForLaterRuns) {
  Bench bench;
  EXPECT_EQ(bench.run({"calibrate", "-o", "out"}), ExitCode::done) << bench.err.str();
  EXPECT_THAT(bench.out.str(), HasSubstr("memory-50k"));
  EXPECT_TRUE(record::any_from_json(bench.folder.read("out/record.json"), "record.json"));
  EXPECT_THAT(bench.folder.read("out/report.md"), HasSubstr("How far off"));
  ASSERT_TRUE(bench.kept());
  EXPECT_EQ(bench.kept()->memory_percent, 0.2);
  EXPECT_EQ(bench.asked.server, (bench.folder.path() / "bin/reference-server").string());
}

TEST(Calibrate, AttachesItsAnswerToALaterRunOfTheSameHostAndBuild) {
  Bench bench;
  ASSERT_EQ(bench.run({"run", "-o", "before", "--", "notes"}), ExitCode::done) << bench.err.str();
  EXPECT_FALSE(bench.options.accuracy);
  ASSERT_EQ(bench.run({"calibrate", "-o", "out"}), ExitCode::done);
  ASSERT_EQ(bench.run({"run", "-o", "after", "--", "notes"}), ExitCode::done);
  ASSERT_TRUE(bench.options.accuracy);
  EXPECT_EQ(bench.options.accuracy->calibrated_at, "2026-11-30T17:00:00Z");
  ASSERT_EQ(bench.run({"load", "-o", "load", "--", "notes"}), ExitCode::done);
  ASSERT_TRUE(bench.load_options.accuracy);
  EXPECT_EQ(bench.load_options.accuracy->calibrated_at, "2026-11-30T17:00:00Z");
}

TEST(Calibrate, SaysNoWhenAWeightIsOutsideItsBoundOrCouldNotBeJudged) {
  for (const WeightVerdict verdict : {WeightVerdict::outside, WeightVerdict::too_few_quiet}) {
    Bench bench;
    bench.outcome.calibration = calibrated(verdict);
    EXPECT_EQ(bench.run({"calibrate", "-o", "out"}), ExitCode::said_no);
    EXPECT_EQ(bench.err.str(), "");
    EXPECT_TRUE(bench.folder.has("out/record.json"));
  }
}

TEST(Calibrate, PassesItsWordsOn) {
  Bench bench;
  bench.folder.write("elsewhere/server", "");
  EXPECT_EQ(bench.run({"calibrate", "--quick", "--only", "memory-*", "--server", "elsewhere/server",
                       "-o", "out", "--no-report", "--json"}),
            ExitCode::done);
  EXPECT_TRUE(bench.asked.quick);
  EXPECT_EQ(bench.asked.only, "memory-*");
  EXPECT_EQ(bench.asked.server, (bench.folder.path() / "elsewhere/server").string());
  EXPECT_FALSE(bench.folder.has("out/report.md"));
  EXPECT_TRUE(record::any_from_json(bench.out.str(), "standard output"));
  EXPECT_THAT(bench.err.str(), HasSubstr("record  out/record.json"));
}

TEST(Calibrate, AsksForTheReferenceServerBeforeItBegins) {
  Bench bench;
  EXPECT_EQ(bench.run({"calibrate", "--server", "nowhere"}), ExitCode::wrong_words);
  EXPECT_THAT(bench.err.str(), HasSubstr("there is no reference server at nowhere"));
  EXPECT_THAT(bench.err.str(), HasSubstr("--server PATH"));
  EXPECT_EQ(bench.calibrations, 0);
}

TEST(Calibrate, LeavesNoFolderWhenNothingWasWeighed) {
  Bench bench;
  bench.outcome.calibration.weights.clear();
  bench.outcome.calibration.status = record::Status::broke_off;
  bench.outcome.error = Error{ErrorCode::target, "it does not start", {}, {}, 0};
  EXPECT_EQ(bench.run({"calibrate", "-o", "out"}), ExitCode::target);
  EXPECT_FALSE(bench.folder.has("out/record.json"));
  EXPECT_FALSE(bench.kept());
}

TEST(Calibrate, KeepsNoAnswerThatBrokeOffIsOfSomeWeightsOnlyOrJudgedNone) {
  const auto kept_after = [](auto change) {
    Bench bench;
    change(bench.outcome.calibration);
    bench.run({"calibrate", "-o", "out"});
    return bench.kept().has_value();
  };
  EXPECT_TRUE(kept_after([](record::Calibration&) {}));
  EXPECT_FALSE(kept_after([](record::Calibration& it) { it.only = "cpu-*"; }));
  EXPECT_FALSE(kept_after([](record::Calibration& it) { it.accuracy.memory_percent.reset(); }));
  EXPECT_FALSE(
      kept_after([](record::Calibration& it) { it.status = record::Status::interrupted; }));
}

TEST(CalibrationStore, DoesNotLetAQuickOneTakeThePlaceOfAFullOne) {
  const Folder folder;
  const CalibrationStore store(folder.path().string());
  record::Calibration full = calibrated();
  record::Calibration quick = calibrated();
  quick.quick = true;
  quick.generated_at = "2026-12-01T09:00:00Z";
  ASSERT_THAT(*store.keep(quick), Not(IsEmpty()));
  ASSERT_THAT(*store.keep(full), Not(IsEmpty()));
  EXPECT_THAT(*store.keep(quick), IsEmpty());
  EXPECT_EQ(store.find(full.host, full.build)->generated_at, full.generated_at);
  full.generated_at = "2026-12-02T09:00:00Z";
  ASSERT_TRUE(store.keep(full));
  EXPECT_EQ(store.find(full.host, full.build)->generated_at, full.generated_at);
}

TEST(CalibrationStore, FindsNothingOfAnotherHostOrBuildAndNothingInRuins) {
  const Folder folder;
  const CalibrationStore store(folder.path().string());
  const record::Calibration calibration = calibrated();
  const std::string path = *store.keep(calibration);
  record::Host host = calibration.host;
  host.kernel += "-new";
  EXPECT_FALSE(store.find(host, calibration.build));
  record::Build build = calibration.build;
  build.commit += "-dirty";
  EXPECT_FALSE(store.find(calibration.host, build));
  ASSERT_TRUE(store.find(calibration.host, calibration.build));
  std::filesystem::resize_file(path, 100);
  EXPECT_FALSE(store.find(calibration.host, calibration.build));
}

TEST(CalibrationStore, KeepsNothingWithoutAStateFolder) {
  const Folder folder;
  const CalibrationStore store{std::string()};
  EXPECT_THAT(*store.keep(calibrated()), IsEmpty());
  EXPECT_THAT(folder.files(), IsEmpty());
  EXPECT_FALSE(store.find(calibrated().host, calibrated().build));
}

}  // namespace
}  // namespace weighbridge::cli
