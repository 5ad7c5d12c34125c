#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "os/fd.h"

namespace weighbridge::os {

/// Processor time as a cgroup accounts for it: of every process that was ever in it, with those
/// whose parent never waited for them and which no other clock of the system remembers.
struct CgroupCpu {
  Duration total{};
  Duration user{};
  Duration system{};
};

/// The fields of a version 2 `cpu.stat` (usage_usec, user_usec, system_usec); nullopt without them.
std::optional<CgroupCpu> parse_cgroup_cpu(std::string_view cpu_stat);

/// The directory of the cgroup2 group that a process is in, from its `mountinfo` and `cgroup`
/// files; empty where no version 2 tree is mounted, or where it does not show the process's group.
std::string own_cgroup_directory(std::string_view mountinfo, std::string_view cgroup);

/// One group of the version 2 tree. Every file is probed by use: a group may lack any of them, and
/// whoever uses one must do without.
class Cgroup {
 public:
  /// A new child of this process's own group; nullopt where there is none or it is not ours to
  /// write.
  static std::optional<Cgroup> create(const std::string& name);
  /// One that somebody else made.
  static std::optional<Cgroup> open(const std::string& directory);

  [[nodiscard]] const std::string& directory() const { return directory_; }
  /// For clone3's CLONE_INTO_CGROUP.
  [[nodiscard]] int fd() const { return fd_.get(); }

  /// SIGKILL to every process in it, forks under way included. False on kernels before 5.14.
  [[nodiscard]] bool kill() const;
  [[nodiscard]] std::optional<CgroupCpu> cpu() const;
  /// Removes the directory and those that were made inside it. False while a process is left in
  /// one.
  [[nodiscard]] bool remove() const;

 private:
  Cgroup(std::string directory, Fd fd);
  std::string directory_;
  Fd fd_;
  Fd cpu_stat_;
};

}  // namespace weighbridge::os
