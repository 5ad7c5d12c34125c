#pragma once

#include <optional>
#include <string>
#include <vector>

#include "modes/observer.h"
#include "record/calibration.h"

namespace weighbridge::modes {

struct CalibrationOptions {
  std::string supervisor_program;  ///< executable that answers to "supervise": this one
  std::string server;              ///< path of the reference server
  bool quick = false;              ///< few weighings, in under half a minute
  std::string only;                ///< glob of weights; empty: all
  record::Build build;
};

/// What was weighed, and why it ended early if it did. The calibration is valid either way.
struct CalibrationResult {
  record::Calibration calibration;
  std::optional<Error> error;
};

/// Ids of all known weights, in order.
std::vector<std::string> known_weight_ids();

/// Puts the known weights of the reference server on the scale, in rounds (null, weight, next
/// weight, …, from the beginning), each weighing between two looks at the weather. Weights of which
/// too few weighings were quiet are weighed again while there is time: half a minute in all when
/// quick, else five.
CalibrationResult calibrate(const CalibrationOptions& options, Observer& observer);

}  // namespace weighbridge::modes
