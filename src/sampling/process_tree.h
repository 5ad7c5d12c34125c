#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "sampling/proc_file.h"
#include "sampling/proc_root.h"

namespace weighbridge::sampling {

/// Finds the processes of a tree: along the `children` files where the kernel has them, else by the
/// parent of every process of the machine.
class ProcessTree {
 public:
  /// `may_keep_open`: how many `children` files, one for each thread, may stay open.
  ProcessTree(ProcRoot root, std::size_t may_keep_open);

  /// Everything below `tops`, parents before their children, without the tops themselves.
  std::vector<pid_t> below(std::span<const pid_t> tops);
  /// The same for a fifth of the price, so that it can be asked at every tick: the threads of a
  /// process are listed anew only when their number is not what it was. A thread that took the
  /// place of another one and then forked is found by below() alone.
  std::vector<pid_t> below_again(std::span<const pid_t> tops,
                                 const std::map<pid_t, std::uint64_t>& thread_counts);
  [[nodiscard]] bool by_children_files() const { return by_children_files_; }

 private:
  using ChildrenOf = std::function<void(pid_t parent, std::vector<pid_t>& children)>;
  std::vector<pid_t> walk(std::span<const pid_t> tops, const ChildrenOf& children_of) const;
  std::vector<pid_t> walk_by_scan(std::span<const pid_t> tops) const;
  void list_threads(pid_t pid);
  void read_children(pid_t pid, std::vector<pid_t>& children);

  ProcRoot root_;
  bool by_children_files_;
  std::size_t may_keep_open_;
  std::map<pid_t, std::vector<ProcFile>> threads_;  // the `children` file of each thread
  std::size_t kept_open_ = 0;
  std::vector<char> buffer_;
};

}  // namespace weighbridge::sampling
