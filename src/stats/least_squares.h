#pragma once

#include <optional>
#include <span>

#include "stats/interval.h"

namespace weighbridge::stats {

/// A straight line through measured points.
struct Line {
  Estimate slope;  ///< unit of y per unit of x; `n` counts points
  double intercept = 0;
  std::optional<double> r2;  ///< share of y's variance explained; absent when y does not vary
};

/// Ordinary least squares of y on x, with Student's t interval of the slope at n - 2 degrees of
/// freedom (Draper and Smith, Applied Regression Analysis, section 1.4). `x` and `y` are equally
/// long. Absent under three points, without spread in x, or with a value that is not finite.
std::optional<Line> least_squares(std::span<const double> x, std::span<const double> y,
                                  double confidence = 0.95);

}  // namespace weighbridge::stats
