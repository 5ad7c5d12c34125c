#include "stats/summary.h"

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

}  // namespace

std::optional<Summary> summarize(const Samples& samples) {
  if (samples.empty()) return std::nullopt;
  const auto sorted = samples.sorted();
  const Moments of = moments(sorted);
  Summary summary{.count = sorted.size(),
                  .min = sorted.front(),
                  .mean = of.mean,
                  .max = sorted.back(),
                  .stddev = {},
                  .cv = {},
                  .p50 = sorted[nearest_rank(0.5, sorted.size()) - 1],
                  .p90 = samples.allowed(0.9),
                  .p99 = samples.allowed(0.99),
                  .p999 = samples.allowed(0.999)};
  if (sorted.size() >= 2) {
    summary.stddev = std::sqrt(of.squares / static_cast<double>(sorted.size() - 1));
    if (of.mean > 0) summary.cv = *summary.stddev / of.mean;
  }
  return summary;
}

}  // namespace weighbridge::stats
