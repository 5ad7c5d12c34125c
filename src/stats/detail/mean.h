#pragma once

#include <numeric>
#include <span>

namespace weighbridge::stats::detail {

/// Arithmetic mean; `values` is not empty.
inline double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace weighbridge::stats::detail
