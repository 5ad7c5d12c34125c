#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/surroundings.h"
#include "modes/observer.h"

namespace weighbridge::cli {

/// "12 s", "2 min 05 s", "1 h 02 min".
std::string spoken(Duration span);

/// Where the run stands, in lines of at most `width` columns.
std::vector<std::string> progress_block(const modes::Progress& progress, std::size_t width);

/// Shows a run's progress: on a terminal a block that is redrawn in place at most ten times a
/// second, elsewhere one line for each step, so that a log stays readable.
class ProgressDisplay {
 public:
  ProgressDisplay(std::ostream& stream, const Screen& screen, const Clock& clock);

  void show(const modes::Progress& progress);
  /// A line that stays.
  void note(const std::string& line);
  /// Takes the block off the screen.
  void clear();

 private:
  void redraw(const modes::Progress& progress);

  std::ostream& stream_;
  Screen screen_;
  const Clock& clock_;
  std::size_t lines_drawn_ = 0;
  std::optional<Instant> drawn_at_;
  std::string place_;  ///< scenario, step and, on a terminal, phase that were shown last
};

}  // namespace weighbridge::cli
