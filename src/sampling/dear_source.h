#pragma once

#include "base/clock.h"

namespace weighbridge::sampling {

/// A source whose reading costs so much that it may not be read at every tick: it is due again once
/// its last reading has become at most one part in a thousand of the time.
class DearSource {
 public:
  [[nodiscard]] bool due(Instant now) const { return now >= next_; }
  void charge(Duration cost, Instant now) { next_ = now + cost * kShare; }

 private:
  static constexpr int kShare = 1000;
  Instant next_{};
};

}  // namespace weighbridge::sampling
