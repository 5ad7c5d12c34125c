#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "reference/token_bucket.h"

namespace weighbridge::reference {

/// How much callers may ask for. `rps` 0: as much as they like.
struct RateLimit {
  double rps = 0;
  double burst = 40;
  bool told = false;         ///< something was said about it
  bool of_process = false;   ///< one bucket for all callers, so that a noisy one starves the quiet
  double listed_rps = 3000;  ///< tools listed a second, by all callers together
  double listed_burst = 48'000;

  [[nodiscard]] bool on() const { return rps > 0; }
};

/// The buckets of one caller (or of all, with RateLimit::of_process).
class CallerBuckets {
 public:
  explicit CallerBuckets(const RateLimit& limit);
  /// Whether a request of this method may be served. Only tools/call, resources/read and tools/list
  /// are metered; a listing on its own, at a tenth of the rate.
  bool admit(std::string_view method, Instant now);

 private:
  TokenBucket calls_;
  TokenBucket listings_;
};

}  // namespace weighbridge::reference
