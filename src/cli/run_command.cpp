#include "cli/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/calibration_store.h"
#include "cli/plan_from_words.h"
#include "cli/publishing.h"
#include "cli/recording_observer.h"
#include "cli/result_files.h"
#include "cli/version.h"
#include "os/interrupt.h"
#include "record/json.h"
#include "report/terminal.h"

namespace weighbridge::cli {
namespace {

bool holds_something(const record::Record& record) {
  return std::ranges::any_of(
      record.scenarios, [](const record::Scenario& scenario) { return !scenario.repeats.empty(); });
}

/// A run that failed before its first figure leaves no file, and an older record where it was. An
/// interrupted one is kept in any case: who stops a run may want to see that it was stopped.
bool worth_keeping(const record::Record& record) {
  return holds_something(record) || record.status != record::Status::broke_off;
}

void print_results(const record::Record& record, const RunWords& words, Surroundings& world) {
  if (words.json) {
    world.out << record::to_json(record);
    return;
  }
  world.out << report::to_terminal(report::view_of(record), {.width = world.out_screen.width,
                                                             .colour = world.out_screen.colour});
}

/// Where the files lie: with --json on the other stream, as standard output is the record's alone.
void print_places(const ResultFiles& files, const Publication* published, const RunWords& words,
                  Surroundings& world) {
  std::ostream& stream = words.json ? world.err : world.out;
  stream << fmt::format("\nrecord  {}\n", files.record_path());
  if (!words.no_report) stream << fmt::format("report  {}\n", files.report_path());
  if (published == nullptr) return;
  if (!published->record.empty()) stream << fmt::format("published  {}\n", published->record);
  if (words.no_report) return;
  for (const std::string& page : published->pages) stream << fmt::format("published  {}\n", page);
}

Result<void> conclude(const modes::RunResult& result, const ResultFiles& files,
                      const std::optional<Publication>& publication, const RunWords& words,
                      Surroundings& world) {
  if (!worth_keeping(result.record)) {
    files.remove_if_unused();
    if (result.error) return std::unexpected(*result.error);
  }
  Result<void> drawn = words.no_report ? Result<void>{} : files.save_report(result.record);
  const Publication* published = nullptr;
  if (drawn && !result.error && publication) {
    drawn = publish(*publication, result.record, !words.no_report);
    if (drawn) published = &*publication;
  }
  if (words.json || holds_something(result.record)) print_results(result.record, words, world);
  print_places(files, published, words, world);
  // The first trouble is the one that explains the others.
  if (result.error) return std::unexpected(*result.error);
  return in_the_midst(std::move(drawn));
}

}  // namespace

Result<void> run_command(const RunWords& words, Surroundings& world) {
  WB_TRY(const plan::Plan plan, plan_from_words(words));
  WB_TRY(const std::optional<Publication> publication, publication_of(plan, words));
  const os::InterruptGuard guard;  // also of the first write, which must fail and not kill
  WB_TRY(const ResultFiles files, ResultFiles::open(words.output, plan.name, world.utc_now()));
  RecordingObserver<record::Record> observer(files, worth_keeping, words.verbose, world);
  const modes::PointsOptions options{.supervisor_program = world.program,
                                     .only = words.only,
                                     .quick = words.quick,
                                     .build = this_build(),
                                     .accuracy = accuracy_here(world.state_home)};
  modes::RunResult result = world.run_points(plan, options, observer);
  observer.finish();
  result.record = record::as_written(result.record);
  return conclude(result, files, publication, words, world);
}

}  // namespace weighbridge::cli
