#pragma once

#include "base/clock.h"

namespace weighbridge::sampling {

/// A source whose reading costs so much that it may not be read at every tick: it is due again once
/// its last reading has become at most one part in three thousand of the time. There are two of
/// them (sockets, and what has a file for each thread), and this keeps them together well within a
/// thousandth.
class DearSource {
 public:
  [[nodiscard]] bool due(Instant now) const { return now >= next_; }
  void charge(Duration cost, Instant now) { next_ = now + cost * kShare; }

 private:
  static constexpr int kShare = 3000;
  Instant next_{};
};

}  // namespace weighbridge::sampling
