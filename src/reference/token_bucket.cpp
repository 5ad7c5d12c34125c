#include "reference/token_bucket.h"

#include <algorithm>

namespace weighbridge::reference {

bool TokenBucket::take(double amount, Instant now) {
  if (now > filled_) {
    tokens_ = std::min(burst_, tokens_ + to_seconds(now - filled_) * rate_);
    filled_ = now;
  }
  if (tokens_ < std::min(amount, burst_)) return false;
  tokens_ -= amount;
  return true;
}

}  // namespace weighbridge::reference
