#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/random.h"

namespace weighbridge::load {

/// A stretch of time in which the rate goes evenly from `from` to `to`, in calls a second. Equal
/// ends are a step; a rate of zero is silence.
struct RateSegment {
  double from = 0;
  double to = 0;
  Duration length{};
};

/// How fast, in open loop.
struct Pace {
  std::vector<RateSegment> segments;
  /// Due instants as a Poisson process instead of evenly: what many callers who know nothing of
  /// each other send.
  bool poisson = false;
  /// The rates are of one credential. Then each has due instants of its own; else a call goes to
  /// the next credential that has a free slot.
  bool per_credential = false;

  [[nodiscard]] Duration length() const;
  /// Calls that are due over the whole length, on average where it is random.
  [[nodiscard]] double expected_calls() const;
};

/// The due instants of a pace: a pure function of pace, seed and position, so every thread (or
/// host) can walk the same schedule and take its share of it, and no rate is rounded per worker.
/// The n-th call is due when the area under the rate reaches n (evenly) or the sum of n
/// exponential steps (Poisson; a time-changed unit process, Ross, Stochastic Processes, 2.4).
class Schedule {
 public:
  /// `factor` multiplies all rates: the number of credentials where rates are per credential.
  Schedule(const Pace& pace, double factor, std::uint64_t seed);

  /// The next due instant from the phase's start; nullopt when the pace has ended.
  std::optional<Duration> next();

 private:
  Pace pace_;
  double factor_;
  Random random_;
  std::uint64_t count_ = 0;
  double area_ = 0;  // Poisson: the sum of the steps so far
  // Where the walk through the segments stands.
  std::size_t segment_ = 0;
  double area_before_ = 0;  // under the segments that are behind
  Duration time_before_{};
};

}  // namespace weighbridge::load
