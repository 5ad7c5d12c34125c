#pragma once

#include <sys/types.h>

#include <map>
#include <span>
#include <vector>

#include "os/supervisor.h"
#include "sampling/process_reader.h"
#include "sampling/sampler.h"

namespace weighbridge::sampling {

/// Remembers every process that was seen, and the counters of those that have ended.
class LifeBook {
 public:
  explicit LifeBook(ProcRoot root) : root_(std::move(root)) {}

  void update(std::span<const ProcessReader::Reading> readings, Instant at,
              std::span<const os::ExitedChild> reaped);

  /// In order of appearance.
  [[nodiscard]] const std::vector<ProcessLife>& lives() const { return lives_; }
  /// Sums of counters over the processes that have ended, as last read.
  [[nodiscard]] const TreeSample& ended() const { return ended_; }

 private:
  void note(const ProcessSample& sample, Instant at);
  void end(std::size_t life, bool inherited_by_parent);

  ProcRoot root_;
  std::vector<ProcessLife> lives_;
  std::map<pid_t, std::size_t> alive_;  // index into lives_
  TreeSample ended_;
};

}  // namespace weighbridge::sampling
