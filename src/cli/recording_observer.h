#pragma once

#include <string>
#include <utility>

#include "cli/progress.h"
#include "cli/result_files.h"
#include "cli/surroundings.h"
#include "modes/observer.h"

namespace weighbridge::cli {

/// What cannot be written once a measurement is under way breaks it off, whatever the reason:
/// ResultFiles::open() has found the same words good. Hence ErrorCode::run.
inline Result<void> in_the_midst(Result<void> saved) {
  if (!saved) saved.error().code = ErrorCode::run;
  return saved;
}

/// How every mode is heard: shows where it stands, and saves its document after every step.
template <typename Document>
class RecordingObserver final : public modes::Observer {
 public:
  /// `worth_keeping`: false while nothing may be left on the disk. `verbose`: notes are shown.
  RecordingObserver(const ResultFiles& files, bool (*worth_keeping)(const Document&), bool verbose,
                    Surroundings& world)
      : files_(files),
        worth_keeping_(worth_keeping),
        verbose_(verbose),
        display_(world.err, world.err_screen, world.clock) {}

  void on_progress(const modes::Progress& progress) override { display_.show(progress); }
  void on_note(const std::string& line) override {
    if (verbose_) display_.note(line);
  }
  using modes::Observer::on_step;
  Result<void> on_step(const Document& document) override {
    if (!worth_keeping_(document)) return {};
    return in_the_midst(files_.save_record(document));
  }
  void finish() { display_.clear(); }

 private:
  const ResultFiles& files_;
  bool (*worth_keeping_)(const Document&);
  bool verbose_;
  ProgressDisplay display_;
};

}  // namespace weighbridge::cli
