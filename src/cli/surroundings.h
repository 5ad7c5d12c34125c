#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/clock.h"
#include "modes/calibration.h"
#include "modes/load_run.h"
#include "modes/points.h"

namespace weighbridge::cli {

/// What one of the two output streams is connected to.
struct Screen {
  bool terminal = false;
  bool colour = false;      ///< a terminal that takes colour, and nobody set NO_COLOR
  std::size_t width = 140;  ///< a file or a pipe has none, and whoever reads it can scroll
};

/// Everything outside that a command touches, gathered so that a test can put something else in its
/// place: the streams, the time, and the run itself.
struct Surroundings {
  std::ostream& out;  ///< results
  std::ostream& err;  ///< progress and errors
  Screen out_screen;
  Screen err_screen;
  const Clock& clock;
  std::function<std::string()> utc_now;  ///< RFC 3339
  std::string program;                   ///< this executable, for the supervisor
  std::function<modes::RunResult(const plan::Plan&, const modes::PointsOptions&, modes::Observer&)>
      run_points;
  std::function<std::vector<std::string>(const plan::Plan&)> scenario_ids;
  std::function<modes::LoadRunResult(const plan::Plan&, const modes::LoadOptions&,
                                     modes::Observer&)>
      run_load;
  std::function<modes::CalibrationResult(const modes::CalibrationOptions&, modes::Observer&)>
      calibrate;
  /// Where this user's programs keep what should survive (XDG_STATE_HOME); empty: nowhere.
  std::string state_home;
};

/// The real ones.
Surroundings real_surroundings();

}  // namespace weighbridge::cli
