#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weighbridge::os {

/// One line of /proc/<pid>/mountinfo (proc(5)), octal escapes undone.
struct Mount {
  std::string device;  ///< "major:minor"
  std::string root;    ///< the part of the file system that is shown
  std::string point;
  std::string type;    ///< "ext4", "cgroup2", …
  std::string source;  ///< "/dev/vda", "server:/export", …
};

std::vector<Mount> parse_mountinfo(std::string_view text);

/// The mount that `path` (absolute) lies on: the longest mount point above it, and of several on
/// the same point the last, which hides the others. nullptr when there is none.
const Mount* mount_of(const std::string& path, const std::vector<Mount>& mounts);

}  // namespace weighbridge::os
