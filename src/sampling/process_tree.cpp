#include "sampling/process_tree.h"

#include <set>
#include <string>

#include "os/process_list.h"

namespace weighbridge::sampling {

ProcessTree::ProcessTree(ProcRoot root, std::size_t may_keep_open)
    : root_(std::move(root)),
      by_children_files_(os::has_children_files(root_.path)),
      may_keep_open_(may_keep_open) {}

std::vector<pid_t> ProcessTree::below(std::span<const pid_t> tops) {
  if (!by_children_files_) return walk_by_scan(tops);
  threads_.clear();
  kept_open_ = 0;
  return walk(tops, [this](pid_t parent, std::vector<pid_t>& children) {
    list_threads(parent);
    read_children(parent, children);
  });
}

std::vector<pid_t> ProcessTree::below_again(std::span<const pid_t> tops,
                                            const std::map<pid_t, std::uint64_t>& thread_counts) {
  if (!by_children_files_) return walk_by_scan(tops);
  return walk(tops, [&](pid_t parent, std::vector<pid_t>& children) {
    const auto listed = threads_.find(parent);
    const auto count = thread_counts.find(parent);
    // Who has no count is no member (the supervisor), and has always one thread.
    const bool same = listed != threads_.end() &&
                      (count == thread_counts.end() || count->second == listed->second.size());
    if (!same) list_threads(parent);
    read_children(parent, children);
  });
}

std::vector<pid_t> ProcessTree::walk(std::span<const pid_t> tops,
                                     const ChildrenOf& children_of) const {
  std::vector<pid_t> found(tops.begin(), tops.end());
  std::set<pid_t> known(tops.begin(), tops.end());
  std::vector<pid_t> children;
  for (std::size_t i = 0; i < found.size(); ++i) {
    children.clear();
    children_of(found[i], children);
    for (const pid_t child : children)
      if (known.insert(child).second) found.push_back(child);
  }
  found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(tops.size()));
  return found;
}

std::vector<pid_t> ProcessTree::walk_by_scan(std::span<const pid_t> tops) const {
  std::multimap<pid_t, pid_t> by_parent;
  os::for_each_process(
      [&](const os::ProcessLink& link) { by_parent.emplace(link.parent, link.pid); }, root_.path);
  return walk(tops, [&](pid_t parent, std::vector<pid_t>& children) {
    const auto [first, last] = by_parent.equal_range(parent);
    for (auto each = first; each != last; ++each) children.push_back(each->second);
  });
}

void ProcessTree::list_threads(pid_t pid) {
  auto& files = threads_[pid];
  files.clear();
  for (const int thread : os::numeric_entries(root_.file(pid, "task")))
    files.emplace_back(root_.file(pid, "task/") + std::to_string(thread) + "/children",
                       /*keep_open=*/kept_open_++ < may_keep_open_);
}

void ProcessTree::read_children(pid_t pid, std::vector<pid_t>& children) {
  for (ProcFile& file : threads_.at(pid))
    if (const auto text = file.read(buffer_)) os::append_pids(*text, children);
}

}  // namespace weighbridge::sampling
