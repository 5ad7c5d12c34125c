#pragma once

#include "base/clock.h"

namespace weighbridge::os {

/// CLOCK_MONOTONIC. One shared instance is enough: it has no state.
class RealClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return std::chrono::steady_clock::now(); }
};

/// For the places where time is measured, not decided: the instant of a system call.
inline Instant now() {
  return std::chrono::steady_clock::now();
}

}  // namespace weighbridge::os
