#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "reference/limit_stats.h"
#include "reference/rate_limits.h"

namespace weighbridge::reference {

/// What GitLab said of a credential.
enum class Standing : std::uint8_t {
  good,
  refused,  ///< GitLab does not know it
  busy,     ///< nobody could be asked in time
};

/// What is kept for every credential, and for how many: the least recently used one goes when there
/// are too many. Time is an argument.
class CallerPool {
 public:
  struct Settings {
    std::size_t most = 100;
    Duration idle_timeout = 1h;
    RateLimit limit;
  };
  CallerPool(const Settings& settings, LimitStats& stats);

  /// Whether a request of this caller may be served. `tools`: how many its answer would list.
  bool admit(std::uint64_t caller, std::string_view method, std::size_t tools, Instant now);

  /// Tells the caller's standing, at once if it is known; else all who ask meanwhile are told when
  /// `verify`, called for the first of them, has found out. A standing other than good is forgotten
  /// after they were told.
  using OnStanding = std::function<void(Standing)>;
  using Verify = std::function<void(OnStanding)>;
  void stand(std::uint64_t caller, Instant now, const Verify& verify, OnStanding on_standing);

  /// Lets callers go who have not come for too long.
  void sweep(Instant now);
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::uint64_t caller = 0;
    Instant last_used;
    CallerBuckets buckets;
    bool verified = false;
    std::vector<OnStanding> waiting;  // while GitLab is being asked
  };
  Entry& enter(std::uint64_t caller, Instant now);
  void evict_one();
  void found(std::uint64_t caller, Standing standing);

  Settings settings_;
  LimitStats& stats_;
  std::list<Entry> entries_;  // the most recently used first
  std::unordered_map<std::uint64_t, std::list<Entry>::iterator> by_caller_;
  CallerBuckets of_process_;
  TokenBucket listed_;
};

}  // namespace weighbridge::reference
