#include "cli/surroundings.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "os/real_clock.h"
#include "os/wall_clock.h"

namespace weighbridge::cli {
namespace {

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// A terminal that cannot move its cursor is served as a file is.
bool is_dumb() {
  const char* terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) == "dumb";
}

Screen screen_of(int descriptor) {
  Screen screen;
  screen.terminal = isatty(descriptor) == 1 && !is_dumb();
  screen.colour = screen.terminal && !is_set("NO_COLOR");
  winsize size{};
  if (screen.terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    screen.width = size.ws_col;
  return screen;
}

/// The XDG base directory specification, 0.8: a relative path is to be ignored.
std::string state_home() {
  const char* const named = std::getenv("XDG_STATE_HOME");
  if (named != nullptr && *named == '/') return named;
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.local/state" : std::string();
}

}  // namespace

Surroundings real_surroundings() {
  static const os::RealClock clock;
  std::error_code none;
  return {.out = std::cout,
          .err = std::cerr,
          .out_screen = screen_of(STDOUT_FILENO),
          .err_screen = screen_of(STDERR_FILENO),
          .clock = clock,
          .utc_now = os::utc_now,
          // Read at once: where the program lies is asked of the kernel, not of argv, so that a
          // copy anywhere works.
          .program = std::filesystem::read_symlink("/proc/self/exe", none).string(),
          .run_points = modes::run_points,
          .scenario_ids = modes::scenario_ids,
          .run_load = modes::run_load,
          .calibrate = modes::calibrate,
          .state_home = state_home()};
}

}  // namespace weighbridge::cli
