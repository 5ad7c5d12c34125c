#pragma once

#include "base/clock.h"

namespace weighbridge::reference {

/// A token bucket: `rate` a second on average, `burst` at once. Full in the beginning.
class TokenBucket {
 public:
  TokenBucket(double rate, double burst) : rate_(rate), burst_(burst), tokens_(burst) {}

  /// Takes `amount` if there is so much. More than a burst holds is taken when the bucket is full,
  /// or it could never be had.
  bool take(double amount, Instant now);

 private:
  double rate_;
  double burst_;
  double tokens_;
  Instant filled_{};
};

}  // namespace weighbridge::reference
