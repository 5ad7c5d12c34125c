#include "reference/caller_pool.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weighbridge::reference {

CallerPool::CallerPool(const Settings& settings, LimitStats& stats)
    : settings_(settings),
      stats_(stats),
      of_process_(settings.limit),
      listed_(settings.limit.listed_rps, settings.limit.listed_burst) {
  stats_.pool_capacity = settings.most;
}

CallerPool::Entry& CallerPool::enter(std::uint64_t caller, Instant now) {
  const auto known = by_caller_.find(caller);
  if (known != by_caller_.end()) {
    entries_.splice(entries_.begin(), entries_, known->second);
  } else {
    if (entries_.size() >= settings_.most) evict_one();
    entries_.push_front({.caller = caller,
                         .last_used = now,
                         .buckets = CallerBuckets(settings_.limit),
                         .verified = false,
                         .waiting = {}});
    by_caller_[caller] = entries_.begin();
    ++stats_.pool_built;
  }
  entries_.front().last_used = now;
  stats_.pool_entries = entries_.size();
  return entries_.front();
}

/// One for whom others wait is spared as long as there is another.
void CallerPool::evict_one() {
  auto last = std::prev(entries_.end());
  while (last != entries_.begin() && !last->waiting.empty()) --last;
  if (!last->waiting.empty()) return;
  by_caller_.erase(last->caller);
  entries_.erase(last);
  ++stats_.pool_evicted;
}

bool CallerPool::admit(std::uint64_t caller, std::string_view method, std::size_t tools,
                       Instant now) {
  Entry& entry = enter(caller, now);
  if (!settings_.limit.on()) return true;
  // The process' bucket first, so that what it refuses costs the caller nothing of its own.
  const bool lists = method == "tools/list";
  if (lists && !listed_.take(static_cast<double>(tools), now)) return ++stats_.rate_limited, false;
  auto& buckets = settings_.limit.of_process ? of_process_ : entry.buckets;
  if (buckets.admit(method, now)) return true;
  ++stats_.rate_limited;
  return false;
}

void CallerPool::stand(std::uint64_t caller, Instant now, const Verify& verify,
                       OnStanding on_standing) {
  Entry& entry = enter(caller, now);
  if (entry.verified) return on_standing(Standing::good);
  entry.waiting.push_back(std::move(on_standing));
  if (entry.waiting.size() > 1) return;
  verify([this, caller](Standing standing) { found(caller, standing); });
}

void CallerPool::found(std::uint64_t caller, Standing standing) {
  const auto known = by_caller_.find(caller);
  if (known == by_caller_.end()) return;
  const auto waiting = std::exchange(known->second->waiting, {});
  if (standing == Standing::good) {
    known->second->verified = true;
  } else {
    entries_.erase(known->second);
    by_caller_.erase(known);
    stats_.pool_entries = entries_.size();
  }
  for (const auto& tell : waiting) tell(standing);
}

void CallerPool::sweep(Instant now) {
  while (!entries_.empty() && entries_.back().last_used + settings_.idle_timeout < now &&
         entries_.back().waiting.empty()) {
    by_caller_.erase(entries_.back().caller);
    entries_.pop_back();
    ++stats_.pool_expired;
  }
  stats_.pool_entries = entries_.size();
}

}  // namespace weighbridge::reference
