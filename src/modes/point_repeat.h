#pragma once

#include <optional>

#include "modes/lab.h"
#include "modes/observer.h"
#include "modes/scenarios.h"
#include "modes/scout.h"
#include "record/scenario.h"

namespace weighbridge::modes {

/// What one repeat came to. The repeat holds what was measured even when it broke off.
struct RepeatResult {
  record::Repeat repeat;
  bool started = false;  ///< the target ran: the repeat is worth keeping
  std::optional<Error> error;
};

/// Tells the observer where the run stands; the repeat adds phase and readings.
struct Announcer {
  Observer* observer = nullptr;
  Progress
      progress;  ///< scenario, step and steps are set; elapsed and remaining are refreshed by `now`
  Instant run_begin{};
};

/// One scenario once, through its phases: start, idle, ramp, load, after (method.md).
RepeatResult run_point_repeat(Lab& lab, const ScenarioSpec& spec, const Scouted& scouted,
                              const client::SessionOptions& options, int number,
                              Announcer announcer);

}  // namespace weighbridge::modes
