#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "stats/samples.h"

namespace weighbridge::stats {

/// A confidence interval, both ends included, in the unit of the figure. `confidence` is what the
/// interval really has (0.963), which may be more than was asked for (0.95). Whatever is asked for
/// lies inside (0, 1); outside it every function of this room leaves the interval absent.
struct Interval {
  double low = 0;
  double high = 0;
  double confidence = 0;
};

/// A figure with what is known about its precision.
struct Estimate {
  double value = 0;
  std::optional<Interval> interval;  ///< absent: too few samples to say
  std::size_t n = 0;                 ///< samples behind the figure
};

/// An interval of order statistics: from the `low`-th to the `high`-th smallest value, 1-based.
struct RankInterval {
  std::size_t low = 0;
  std::size_t high = 0;
  double confidence = 0;
};

/// Distribution-free interval of the quantile `q` in (0, 1) from `n` independent samples: the count
/// of samples below the true quantile is binomial(n, q) (David and Nagaraja, Order Statistics,
/// section 7.1). Each end risks at most (1 - confidence) / 2, exactly computed. Absent when n is
/// too small for that: p50 at 95 % needs 6 samples, p99 needs 368.
std::optional<RankInterval> quantile_ranks(std::size_t n, double q, double confidence);

/// The percentile (nearest rank) with its order-statistic interval, nanoseconds. Absent without
/// samples; the interval is absent when there are too few.
std::optional<Estimate> percentile_estimate(const Samples& samples, double q,
                                            double confidence = 0.95);

/// The median (nearest rank, so the lower middle of an even count) of a few repeats, in their unit.
/// Its interval is the one of order statistics where the repeats suffice for `confidence`, else
/// min to max, which holds the true median with confidence 1 - 2^(1-n): 0.75 for three repeats.
/// Absent without values; a single repeat has no interval.
std::optional<Estimate> median_of_repeats(std::span<const double> values, double confidence = 0.95);

}  // namespace weighbridge::stats
