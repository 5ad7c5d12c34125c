#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "record/calibration.h"
#include "record/load_record.h"
#include "record/record.h"

namespace weighbridge::modes {

/// Where a run stands, for a live display. Cheap to make; sent at phase changes and about ten times
/// a second.
struct Progress {
  std::string scenario;  ///< id
  int step = 0;          ///< 1-based, over scenarios × repeats
  int steps = 0;
  std::string phase;
  Duration elapsed{};
  std::optional<Duration> remaining;  ///< estimated from the steps so far
  std::optional<double> resident_mib;
  std::optional<double> cpu_percent;
  std::uint64_t calls = 0;  ///< completed in this step
  // Of the last moments of a load, where there is one.
  std::optional<double> calls_per_second;
  std::optional<double> p50_ms;
  std::optional<double> p99_ms;
  std::optional<std::uint64_t> in_flight;
  std::optional<std::uint64_t> not_served;  ///< in this step
};

/// How a mode speaks. It prints nothing itself.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_progress(const Progress& progress) = 0;
  /// One line worth keeping on the screen (with -v: all; else only what changes the result's
  /// meaning).
  virtual void on_note(const std::string& line) = 0;
  /// A step is complete: save the record. An error breaks the run off. Every mode calls the one
  /// that takes its own document.
  virtual Result<void> on_step(const record::Record& /*record*/) { return {}; }
  virtual Result<void> on_step(const record::LoadRecord& /*record*/) { return {}; }
  virtual Result<void> on_step(const record::Calibration& /*record*/) { return {}; }
};

}  // namespace weighbridge::modes
