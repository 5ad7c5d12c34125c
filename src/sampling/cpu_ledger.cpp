#include "sampling/cpu_ledger.h"

#include <algorithm>
#include <set>

namespace weighbridge::sampling {
namespace {

// A record that arrives later than the reading in which its process is missing (the tree changed
// faster than it could be read) is waited for this many updates.
constexpr std::uint64_t kPatience = 16;

}  // namespace

CpuTime& CpuTime::operator+=(const CpuTime& other) {
  total += other.total;
  user += other.user;
  system += other.system;
  return *this;
}

CpuTime larger(const CpuTime& left, const CpuTime& right) {
  return left.total < right.total ? right : left;
}

CpuTime at_least(const CpuTime& left, const CpuTime& right) {
  return {.total = std::max(left.total, right.total),
          .user = std::max(left.user, right.user),
          .system = std::max(left.system, right.system)};
}

CpuTime CpuLedger::update(std::span<const LiveCpu> live, std::span<const ReapedCpu> reaped) {
  ++update_;
  for (const LiveCpu& process : live) note(process);
  settle_vanished(reaped);
  for (const ReapedCpu& record : reaped) settle(record);
  CpuTime sum = ended_;
  for (const auto& [pid, entry] : entries_) sum += entry.sum();
  return reported_ = at_least(reported_, sum);
}

void CpuLedger::note(const LiveCpu& process) {
  auto& entry = entries_[process.pid];
  if (entry.seen != 0 && entry.start_ticks != process.start_ticks) {
    ended_ += entry.sum();  // the number belongs to another process now
    entry = {};
  }
  entry.start_ticks = process.start_ticks;
  entry.parent = process.parent;
  entry.own = at_least(entry.own, process.own);
  entry.children = at_least(entry.children, process.children);
  entry.seen = update_;
}

// Children before parents, so that what a chain of launchers leaves behind climbs it in one update.
void CpuLedger::settle_vanished(std::span<const ReapedCpu> reaped) {
  std::set<pid_t> recorded;
  for (const ReapedCpu& record : reaped) recorded.insert(record.pid);
  std::vector<std::pair<int, pid_t>> vanished;
  for (const auto& [pid, entry] : entries_)
    if (entry.seen != update_ && !recorded.contains(pid)) vanished.emplace_back(depth(pid), pid);
  std::sort(vanished.rbegin(), vanished.rend());
  for (const auto& [level, pid] : vanished) {
    const Entry& entry = entries_.at(pid);
    const auto parent = entries_.find(entry.parent);
    if (parent != entries_.end())
      parent->second.vanished += entry.sum();
    else if (update_ - entry.seen > kPatience)
      ended_ += entry.sum();
    else
      continue;  // the supervisor's child, most likely: its record may be on the way
    entries_.erase(pid);
  }
}

void CpuLedger::settle(const ReapedCpu& record) {
  const auto found = entries_.find(record.pid);
  if (found == entries_.end() || found->second.seen == update_) {
    ended_ += record.usage;
    return;
  }
  // The record lacks children that were never waited for.
  const Entry& entry = found->second;
  ended_ += larger(record.usage, entry.own + entry.vanished);
  entries_.erase(found);
}

int CpuLedger::depth(pid_t pid) const {
  constexpr int kDeepest = 1000;  // numbers used again could close a circle
  int level = 0;
  for (auto entry = entries_.find(pid); entry != entries_.end() && level < kDeepest; ++level)
    entry = entries_.find(entry->second.parent);
  return level;
}

}  // namespace weighbridge::sampling
