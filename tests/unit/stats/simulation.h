#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "base/random.h"
#include "stats/interval.h"

namespace weighbridge::stats {

/// Box and Muller's transform; `random` is seeded, so every simulation here repeats exactly.
inline double normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log1p(-random.uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

template <typename Draw>
std::vector<double> drawn(std::size_t n, const Draw& draw) {
  std::vector<double> values(n);
  for (double& value : values) value = draw();
  return values;
}

inline bool holds(const Interval& interval, double truth) {
  return interval.low <= truth && truth <= interval.high;
}

/// The share of `trials` whose interval holds `truth`.
template <typename Trial>
double coverage(int trials, double truth, const Trial& trial) {
  int held = 0;
  for (int i = 0; i < trials; ++i) held += holds(trial(), truth) ? 1 : 0;
  return static_cast<double>(held) / trials;
}

}  // namespace weighbridge::stats
