#pragma once

#include <sys/types.h>
#include <time.h>

#include <map>
#include <optional>
#include <vector>

#include "sampling/cpu_ledger.h"
#include "sampling/proc_file.h"
#include "sampling/proc_root.h"
#include "sampling/proc_text.h"
#include "sampling/tree_sample.h"

namespace weighbridge::sampling {

/// Reads one process. Copies of the text are made only of its name.
class ProcessReader {
 public:
  ProcessReader(const ProcRoot& root, pid_t pid, bool keep_open);

  struct Reading {
    ProcessSample sample;
    LiveCpu cpu;
    bool zombie = false;
    bool ignores_child_signal = false;
  };
  /// What else to read, beyond what every tick reads.
  struct Depth {
    bool switches_of_all_threads = false;  ///< a file per thread; else as read the last time
    bool listed_descriptors = true;        ///< on kernels that do not offer the mere count
  };
  /// nullopt: the process is gone.
  std::optional<Reading> read(const Depth& depth);

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Whether the number of descriptors can only be had by listing them.
  [[nodiscard]] bool must_list_descriptors() const { return must_list_descriptors_; }

 private:
  struct Switches {
    std::uint64_t voluntary = 0;
    std::uint64_t involuntary = 0;
  };
  CpuTime own_time(const StatFields& stat) const;
  std::optional<std::uint64_t> count_descriptors(const Depth& depth);
  Switches switches(const StatusFields& status, const Depth& depth);

  ProcRoot root_;
  pid_t pid_;
  ProcFile stat_;
  ProcFile status_;
  ProcFile io_;
  clockid_t clock_ = 0;
  bool has_clock_ = false;
  bool must_list_descriptors_ = false;
  std::map<pid_t, Switches> thread_switches_;
  Switches ended_thread_switches_;
  std::vector<char> buffer_;
};

/// Moments only: milliseconds on a large process. nullopt when refused or gone.
std::optional<RollupFields> read_rollup(const ProcRoot& root, pid_t pid);

/// clear_refs "5" (proc(5)). False when refused.
bool reset_high_water(const ProcRoot& root, pid_t pid);

}  // namespace weighbridge::sampling
