#include "sampling/tree_members.h"

#include <sys/resource.h>

#include <algorithm>
#include <set>

#include "os/supervisor.h"

namespace weighbridge::sampling {
namespace {

constexpr int kWalkEvery = 10;

// At most a quarter of all descriptors that this program may have: the rest belongs to its
// connections. Half of that for three files of each process, half for one of each of their threads.
std::size_t files_to_keep_open() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, 1 << 16)) / 4;
}

}  // namespace

TreeMembers::TreeMembers(const Roots& roots, ProcRoot root)
    : root_(root),
      tree_(root, files_to_keep_open() / 2),
      supervised_(roots.supervisor != nullptr),
      may_keep_open_(files_to_keep_open() / 2 / 3),
      load_average_(root.path + "/loadavg", /*keep_open=*/true) {
  if (supervised_)
    tops_.push_back(roots.supervisor->pid());
  else
    for (const pid_t pid : roots.pids) add_root(pid);
}

void TreeMembers::add_root(pid_t pid) {
  if (std::find(tops_.begin(), tops_.end(), pid) != tops_.end()) return;
  tops_.push_back(pid);
  changed_ = true;
}

void TreeMembers::refresh() {
  const bool calm = nothing_changed();
  if (++refreshes_ % kWalkEvery == 0)
    take_in(tree_.below(tops()));
  else if (!calm)
    take_in(tree_.below_again(tops(), thread_counts_));
}

bool TreeMembers::nothing_changed() {
  // Read before the walk: what forks during the walk is found by the next one.
  const auto text = load_average_.read(buffer_);
  const auto last_pid = text ? parse_last_pid(*text) : std::nullopt;
  const bool same = last_pid && last_pid == last_pid_ && !changed_;
  last_pid_ = last_pid;
  changed_ = false;
  return same;
}

// Without a supervisor, orphans go to strangers: those known before are followed, with what they
// start, though nothing leads to them any more.
std::vector<pid_t> TreeMembers::tops() const {
  std::vector<pid_t> tops = tops_;
  if (!supervised_)
    for (const pid_t pid : order_)
      if (std::find(tops.begin(), tops.end(), pid) == tops.end()) tops.push_back(pid);
  return tops;
}

void TreeMembers::take_in(std::vector<pid_t> below) {
  std::vector<pid_t> order = supervised_ ? std::vector<pid_t>{} : tops();
  order.insert(order.end(), below.begin(), below.end());
  // The walk may miss one whose parent has just ended; that it has not ended itself is known.
  const std::set<pid_t> found(order.begin(), order.end());
  for (const pid_t pid : order_)
    if (!found.contains(pid)) order.push_back(pid);
  order_ = std::move(order);
  for (const pid_t pid : order_)
    if (!readers_.contains(pid))
      readers_.try_emplace(pid, root_, pid, /*keep_open=*/readers_.size() < may_keep_open_);
}

std::vector<ProcessReader::Reading> TreeMembers::read(const ProcessReader::Depth& depth) {
  std::vector<ProcessReader::Reading> readings;
  readings.reserve(order_.size());
  std::erase_if(order_, [&](pid_t pid) {
    ProcessReader& reader = readers_.at(pid);
    if (auto reading = reader.read(depth)) {
      must_list_descriptors_ |= reader.must_list_descriptors();
      thread_counts_[pid] = reading->sample.threads;
      readings.push_back(std::move(*reading));
      return false;
    }
    readers_.erase(pid);
    thread_counts_.erase(pid);
    changed_ = true;
    return true;
  });
  return readings;
}

}  // namespace weighbridge::sampling
