#pragma once

#include <sys/types.h>

#include <span>
#include <vector>

#include "sampling/proc_root.h"

namespace weighbridge::sampling {

/// Finds the processes of a tree.
class ProcessTree {
 public:
  explicit ProcessTree(ProcRoot root);

  /// Everything below `tops`, parents before their children, without the tops themselves. Along the
  /// `children` files where the kernel has them, else by the parent of every process of the
  /// machine.
  [[nodiscard]] std::vector<pid_t> below(std::span<const pid_t> tops) const;
  [[nodiscard]] bool by_children_files() const { return by_children_files_; }

 private:
  ProcRoot root_;
  bool by_children_files_;
};

}  // namespace weighbridge::sampling
