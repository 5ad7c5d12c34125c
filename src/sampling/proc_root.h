#pragma once

#include <string>

namespace weighbridge::sampling {

/// Where to read processes from: the kernel's own /proc, or a tree captured from one, in tests.
struct ProcRoot {
  std::string path = "/proc";
  /// Whether process clocks, socket dumps and the sizes of /proc directories may be asked for too.
  /// A captured tree has none of them.
  bool live = true;

  [[nodiscard]] std::string file(int pid, const char* name) const {
    return path + "/" + std::to_string(pid) + "/" + name;
  }
};

}  // namespace weighbridge::sampling
