#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "modes/observer.h"
#include "plan/plan.h"
#include "record/record.h"

namespace weighbridge::modes {

struct PointsOptions {
  std::string supervisor_program;  ///< executable that answers to "supervise": this one
  std::string only;                ///< glob of scenario ids; empty: all
  bool quick = false;  ///< recorded; the plan's numbers were already cut down by the caller
  record::Build build;
  std::optional<record::Accuracy> accuracy;  ///< of this host and build
};

/// What was measured, and why it ended early if it did. The record is valid either way.
struct RunResult {
  record::Record record;
  std::optional<Error> error;
};

/// Ids of the scenarios a plan asks for, in order: transport × variant, then the telemetry ones.
std::vector<std::string> scenario_ids(const plan::Plan& plan);

/// Points mode: every combination of transport × variant × telemetry, `repeat` times, interleaved
/// (1 2 3 1 2 3), each through start, idle, ramp, load and after (method.md).
RunResult run_points(const plan::Plan& plan, const PointsOptions& options, Observer& observer);

}  // namespace weighbridge::modes
