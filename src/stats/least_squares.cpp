#include "stats/least_squares.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "stats/detail/distributions.h"
#include "stats/detail/mean.h"

namespace weighbridge::stats {
namespace {

bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

/// Not a sum of squares above zero: the mean of equal values may be off by a rounding, and the sum
/// then a tiny number to divide by.
bool varies(std::span<const double> values) {
  return std::ranges::any_of(values, [&](double value) { return value != values.front(); });
}

}  // namespace

std::optional<Line> least_squares(std::span<const double> x, std::span<const double> y,
                                  double confidence) {
  const std::size_t n = x.size();
  if (n < 3 || y.size() != n || !all_finite(x) || !all_finite(y)) return std::nullopt;
  const double mean_x = detail::mean(x);
  const double mean_y = detail::mean(y);
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double from_x = x[i] - mean_x;
    const double from_y = y[i] - mean_y;
    xx += from_x * from_x;
    xy += from_x * from_y;
    yy += from_y * from_y;
  }
  const double slope = xy / xx;
  if (!varies(x) || !std::isfinite(slope)) return std::nullopt;

  // From the residuals themselves: yy - slope * xy cancels to noise, or below zero, on a good fit.
  double residual = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double miss = (y[i] - mean_y) - slope * (x[i] - mean_x);
    residual += miss * miss;
  }
  const auto degrees = static_cast<double>(n - 2);
  Line line{.slope = {.value = slope, .interval = {}, .n = n},
            .intercept = mean_y - slope * mean_x,
            .r2 = {}};
  if (confidence > 0 && confidence < 1) {
    const double error = std::sqrt(residual / degrees / xx);
    const double half = error * detail::t_quantile((1 + confidence) / 2, degrees);
    line.slope.interval = Interval{slope - half, slope + half, confidence};
  }
  if (varies(y) && yy > 0) line.r2 = 1 - residual / yy;
  return line;
}

}  // namespace weighbridge::stats
