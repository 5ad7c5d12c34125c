#pragma once

#include <sys/types.h>

#include <expected>

#include "base/clock.h"
#include "os/detail/control_channel.h"
#include "os/supervisor.h"

namespace weighbridge::os::detail {

struct LaunchFailure {
  LaunchStep step{};
  int error = 0;  ///< errno
};

/// Forks and executes; returns once the exec has succeeded or failed, which the child tells through
/// a pipe that exec closes. The child begins as a host would start it: its own process group,
/// default signal dispositions, empty mask, default timer slack, and no descriptor but the three
/// given.
///
/// `cgroup_fd`: directory of the cgroup to be born in, or -1. A kernel or an owner that refuses the
/// birth there gets an ordinary fork.
std::expected<SpawnedChild, LaunchFailure> launch(const SpawnWords& words, const Fd& stdin_fd,
                                                  const Fd& stdout_fd, const Fd& stderr_fd,
                                                  int cgroup_fd);

}  // namespace weighbridge::os::detail
