#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "stats/samples.h"

namespace weighbridge::stats {

/// What is quoted of a set of latencies. Nanoseconds; `cv` is a bare ratio. Absent means that the
/// samples do not support the figure, never zero.
struct Summary {
  std::size_t count = 0;
  std::int64_t min = 0;
  double mean = 0;
  std::int64_t max = 0;
  std::optional<double> stddev;  ///< sample standard deviation (n - 1); from two samples on
  std::optional<double> cv;      ///< stddev / mean; where the mean is above zero
  std::int64_t p50 = 0;
  std::optional<std::int64_t> p90;   ///< from 10 samples on
  std::optional<std::int64_t> p99;   ///< from 100 on
  std::optional<std::int64_t> p999;  ///< from 1000 on
};

/// Absent without samples: nothing served draws no latency.
std::optional<Summary> summarize(const Samples& samples);

}  // namespace weighbridge::stats
