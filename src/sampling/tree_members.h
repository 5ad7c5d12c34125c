#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sampling/proc_root.h"
#include "sampling/process_reader.h"
#include "sampling/process_tree.h"
#include "sampling/sampler.h"

namespace weighbridge::sampling {

/// Which processes belong to the tree at the moment, each with its open files.
class TreeMembers {
 public:
  TreeMembers(const Roots& roots, ProcRoot root);

  void add_root(pid_t pid);
  /// Takes newcomers in. Walks the tree only when something may have changed: the number last given
  /// to any process of the machine tells, in one short read, that nobody forked. The kernel's lists
  /// of children promise nothing while siblings end, so that every tenth call walks in any case,
  /// and lists all threads anew.
  void refresh();
  /// Reads every member; those that are gone leave. Parents stand before their children.
  std::vector<ProcessReader::Reading> read(const ProcessReader::Depth& depth);

  [[nodiscard]] const std::vector<pid_t>& pids() const { return order_; }
  [[nodiscard]] bool by_children_files() const { return tree_.by_children_files(); }
  /// Whether descriptors can only be counted by listing them.
  [[nodiscard]] bool must_list_descriptors() const { return must_list_descriptors_; }

 private:
  [[nodiscard]] bool nothing_changed();
  [[nodiscard]] std::vector<pid_t> tops() const;
  void take_in(std::vector<pid_t> below);

  ProcRoot root_;
  ProcessTree tree_;
  bool supervised_;
  std::vector<pid_t> tops_;  // the supervisor, or the attached processes
  std::map<pid_t, ProcessReader> readers_;
  std::map<pid_t, std::uint64_t> thread_counts_;
  std::vector<pid_t> order_;
  std::size_t may_keep_open_;

  ProcFile load_average_;
  std::vector<char> buffer_;
  std::optional<pid_t> last_pid_;
  bool changed_ = true;  // a root was added, or a member has ended, since the last walk
  int refreshes_ = 0;
  bool must_list_descriptors_ = false;
};

}  // namespace weighbridge::sampling
