#include "stats/summary.h"

#include <array>
#include <cmath>
#include <span>

namespace weighbridge::stats {
namespace {

struct Moments {
  double mean = 0;
  double squares = 0;  ///< sum of squared distances from the mean
};

/// Two passes: the one-pass formula loses every digit when the spread is small beside the mean,
/// which is what a good server's latencies look like. Long double, because a sum of nanoseconds
/// outgrows a double's 53 bits after a few months of latency.
Moments moments(std::span<const std::int64_t> values) {
  long double sum = 0;
  for (const std::int64_t value : values) sum += static_cast<long double>(value);
  const long double mean = sum / static_cast<long double>(values.size());
  long double squares = 0;
  for (const std::int64_t value : values) {
    const long double distance = static_cast<long double>(value) - mean;
    squares += distance * distance;
  }
  return {.mean = static_cast<double>(mean), .squares = static_cast<double>(squares)};
}

std::optional<std::int64_t> if_allowed(double q, std::size_t n, std::int64_t value) {
  return is_allowed(q, n) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<Summary> summarize(const Samples& samples) {
  if (samples.empty()) return std::nullopt;
  const std::size_t n = samples.size();
  const Moments of = moments(samples.unordered());
  const std::array ranks{std::size_t{1},        nearest_rank(0.5, n),   nearest_rank(0.9, n),
                         nearest_rank(0.99, n), nearest_rank(0.999, n), n};
  const auto at = samples.at_ranks(ranks);
  Summary summary{.count = n,
                  .min = at[0],
                  .mean = of.mean,
                  .max = at[5],
                  .stddev = {},
                  .cv = {},
                  .p50 = at[1],
                  .p90 = if_allowed(0.9, n, at[2]),
                  .p99 = if_allowed(0.99, n, at[3]),
                  .p999 = if_allowed(0.999, n, at[4])};
  if (n >= 2) {
    summary.stddev = std::sqrt(of.squares / static_cast<double>(n - 1));
    if (of.mean > 0) summary.cv = *summary.stddev / of.mean;
  }
  return summary;
}

}  // namespace weighbridge::stats
