#include "cli/load_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/calibration_store.h"
#include "cli/load_from_words.h"
#include "cli/plan_from_words.h"
#include "cli/recording_observer.h"
#include "cli/result_files.h"
#include "cli/version.h"
#include "os/interrupt.h"
#include "record/json.h"
#include "report/load_view.h"
#include "report/terminal.h"

namespace weighbridge::cli {
namespace {

/// A run that failed before its first figure leaves no file; an interrupted one is kept in any
/// case.
bool worth_keeping(const record::LoadRecord& record) {
  return !record.steps.empty() || record.status != record::Status::broke_off;
}

Result<void> conclude(const modes::LoadRunResult& result, const ResultFiles& files,
                      const RunWords& words, Surroundings& world) {
  if (!worth_keeping(result.record)) {
    files.remove_if_unused();
    if (result.error) return std::unexpected(*result.error);
  }
  Result<void> drawn = words.no_report ? Result<void>{} : files.save_report(result.record);
  if (words.json)
    world.out << record::to_json(result.record);
  else if (!result.record.steps.empty())
    world.out << report::to_terminal(
        report::view_of(result.record),
        {.width = world.out_screen.width, .colour = world.out_screen.colour});
  std::ostream& stream = words.json ? world.err : world.out;
  stream << fmt::format("\nrecord  {}\n", files.record_path());
  if (!words.no_report) stream << fmt::format("report  {}\n", files.report_path());
  // The first trouble is the one that explains the others.
  if (result.error) return std::unexpected(*result.error);
  return in_the_midst(std::move(drawn));
}

}  // namespace

Result<void> load_command(const LoadWords& words, Surroundings& world) {
  WB_TRY(modes::LoadOptions options, load_options_from_words(words));
  WB_TRY(const plan::Plan plan, plan_from_words(words.run));
  const os::InterruptGuard guard;  // also of the first write, which must fail and not kill
  WB_TRY(const ResultFiles files, ResultFiles::open(words.run.output, plan.name, world.utc_now()));
  options.supervisor_program = world.program;
  options.build = this_build();
  options.accuracy = accuracy_here(world.state_home);
  RecordingObserver<record::LoadRecord> observer(files, worth_keeping, /*verbose=*/true, world);
  modes::LoadRunResult result = world.run_load(plan, options, observer);
  observer.finish();
  result.record = record::as_written(result.record);
  return conclude(result, files, words.run, world);
}

}  // namespace weighbridge::cli
