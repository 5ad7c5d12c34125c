#include "cli/calibrate_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "cli/calibration_store.h"
#include "cli/recording_observer.h"
#include "cli/result_files.h"
#include "cli/version.h"
#include "os/interrupt.h"
#include "record/json.h"
#include "report/calibration_view.h"

namespace weighbridge::cli {
namespace {

namespace fs = std::filesystem;

/// One that broke off before its first weighing leaves no file.
bool worth_keeping(const record::Calibration& calibration) {
  return !calibration.weights.empty() || calibration.status != record::Status::broke_off;
}

Result<std::string> server_of(const CalibrateWords& words, const Surroundings& world) {
  const std::string path =
      words.server.empty() ? (fs::path(world.program).parent_path() / "reference-server").string()
                           : words.server;
  std::error_code none;
  if (fs::is_regular_file(path, none)) return fs::absolute(path, none).string();
  return fail(ErrorCode::usage, fmt::format("there is no reference server at {}", path), "--server",
              "It is built beside weighbridge; name it with --server PATH");
}

Result<ExitCode> conclude(const modes::CalibrationResult& result, const ResultFiles& files,
                          const CalibrateWords& words, Surroundings& world) {
  const record::Calibration& calibration = result.calibration;
  if (!worth_keeping(calibration)) {
    files.remove_if_unused();
    if (result.error) return std::unexpected(*result.error);
  }
  if (words.json)
    world.out << record::to_json(calibration);
  else if (!calibration.weights.empty())
    world.out << report::to_terminal(
        report::view_of(calibration),
        {.width = world.out_screen.width, .colour = world.out_screen.colour});
  std::ostream& stream = words.json ? world.err : world.out;
  stream << fmt::format("\nrecord  {}\n", files.record_path());
  if (!words.no_report) {
    WB_CHECK(in_the_midst(files.save_report(calibration)));
    stream << fmt::format("report  {}\n", files.report_path());
  }
  if (result.error) return std::unexpected(*result.error);
  WB_TRY(const std::string kept, CalibrationStore(world.state_home).keep(calibration));
  if (!kept.empty()) stream << fmt::format("kept    {}\n", kept);
  return record::all_within(calibration) ? ExitCode::done : ExitCode::said_no;
}

}  // namespace

Result<ExitCode> calibrate_command(const CalibrateWords& words, Surroundings& world) {
  WB_TRY(const std::string server, server_of(words, world));
  const os::InterruptGuard guard;  // also of the first write, which must fail and not kill
  WB_TRY(const ResultFiles files, ResultFiles::open(words.output, "calibration", world.utc_now()));
  RecordingObserver<record::Calibration> observer(files, worth_keeping, words.verbose, world);
  const modes::CalibrationOptions options{.supervisor_program = world.program,
                                          .server = server,
                                          .quick = words.quick,
                                          .only = words.only,
                                          .build = this_build()};
  modes::CalibrationResult result = world.calibrate(options, observer);
  observer.finish();
  result.calibration = record::as_written(result.calibration);
  return conclude(result, files, words, world);
}

}  // namespace weighbridge::cli
