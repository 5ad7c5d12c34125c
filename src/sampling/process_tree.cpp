#include "sampling/process_tree.h"

#include <map>
#include <set>

#include "os/process_list.h"

namespace weighbridge::sampling {

ProcessTree::ProcessTree(ProcRoot root)
    : root_(std::move(root)), by_children_files_(os::has_children_files(root_.path)) {}

std::vector<pid_t> ProcessTree::below(std::span<const pid_t> tops) const {
  std::multimap<pid_t, pid_t> scanned;  // parent to child
  if (!by_children_files_)
    os::for_each_process(
        [&](const os::ProcessLink& link) { scanned.emplace(link.parent, link.pid); }, root_.path);
  const auto children_of = [&](pid_t parent) {
    if (by_children_files_) return os::children_of(parent, root_.path);
    std::vector<pid_t> children;
    const auto [first, last] = scanned.equal_range(parent);
    for (auto each = first; each != last; ++each) children.push_back(each->second);
    return children;
  };

  std::vector<pid_t> found(tops.begin(), tops.end());
  std::set<pid_t> known(tops.begin(), tops.end());
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const pid_t child : children_of(found[i]))
      if (known.insert(child).second) found.push_back(child);
  found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(tops.size()));
  return found;
}

}  // namespace weighbridge::sampling
