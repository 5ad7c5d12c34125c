#pragma once

#include <atomic>
#include <chrono>

namespace weighbridge {

/// All spans of time are nanoseconds; all instants are CLOCK_MONOTONIC (libstdc++'s steady_clock),
/// which every process of the host shares, so instants may be compared across processes.
using Duration = std::chrono::nanoseconds;
using Instant = std::chrono::time_point<std::chrono::steady_clock, Duration>;

using namespace std::chrono_literals;

/// Time as an argument: code that waits or measures is given one of these.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Instant now() const = 0;
};

/// A clock that stands still until told otherwise. For tests.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return Instant(Duration(nanoseconds_.load())); }
  void advance(Duration by) { nanoseconds_ += by.count(); }
  void set(Instant at) { nanoseconds_ = at.time_since_epoch().count(); }

 private:
  std::atomic<long long> nanoseconds_{0};
};

double to_seconds(Duration span);
double to_milliseconds(Duration span);
Duration from_seconds(double seconds);

}  // namespace weighbridge
