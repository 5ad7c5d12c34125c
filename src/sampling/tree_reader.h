#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

#include "os/supervisor.h"
#include "sampling/cpu_ledger.h"
#include "sampling/dear_source.h"
#include "sampling/life_book.h"
#include "sampling/sampler.h"
#include "sampling/socket_counter.h"
#include "sampling/tree_members.h"
#include "sampling/tree_sample.h"

namespace weighbridge::sampling {

/// Reads a process tree, again and again, and keeps the account of what has ended. For one thread.
class TreeReader {
 public:
  TreeReader(const Roots& roots, const ProcRoot& root);

  /// Whether sources that are dear to read wait until they are due.
  enum class Effort { what_is_due, everything };
  TreeSample read(Effort effort);
  /// Reads with the proportional and private-dirty sets.
  MemoryMoment read_moment();
  /// False where the kernel refused for at least one process.
  bool reset_high_water();
  void add_root(pid_t pid) { members_.add_root(pid); }

  /// Fills in what this reader knows: processes, missing sources, where processor time came from.
  void describe(Trace& trace) const;

 private:
  using Readings = std::vector<ProcessReader::Reading>;
  struct Snapshot {
    Instant at;
    Readings readings;
    std::vector<os::ExitedChild> reaped;
    std::optional<os::CgroupCpu> cgroup;
  };
  Snapshot take_snapshot(Effort effort);
  Snapshot attempt(const ProcessReader::Depth& depth);
  void add_newer_records(Snapshot& snapshot);
  CpuTime account(const Snapshot& snapshot);
  void note_refusals(const Readings& readings);
  void count_sockets(Effort effort, TreeSample& sample);
  void note_missing(const char* source, const char* fallback);

  os::Supervisor* supervisor_;
  ProcRoot root_;
  TreeMembers members_;
  LifeBook lives_;
  CpuLedger ledger_;
  SocketCounter sockets_;
  DearSource detail_source_;  // a file per thread, listed descriptors
  DearSource socket_source_;
  std::size_t records_read_ = 0;
  std::vector<os::ExitedChild> waiting_;  // records read already, of processes that were read alive
  CpuTime reported_cpu_;
  Duration cpu_only_in_cgroup_{};
  bool has_cgroup_ = false;
  std::vector<MissingSource> missing_;
};

}  // namespace weighbridge::sampling
