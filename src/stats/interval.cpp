#include "stats/interval.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/detail/distributions.h"

namespace weighbridge::stats {
namespace {

/// How many of the counts 0, 1, …, n - 1 satisfy `holds`, which is true for the first ones only.
template <typename Holds>
std::size_t leading_counts(std::size_t n, const Holds& holds) {
  std::size_t known = 0;
  std::size_t open = n;
  while (known < open) {
    const std::size_t middle = known + (open - known) / 2;
    if (holds(middle)) {
      known = middle + 1;
    } else {
      open = middle;
    }
  }
  return known;
}

}  // namespace

std::optional<RankInterval> quantile_ranks(std::size_t n, double q, double confidence) {
  if (n == 0 || q <= 0 || q >= 1 || confidence <= 0 || confidence >= 1) return std::nullopt;
  const double tail = (1 - confidence) / 2;
  // The true quantile lies below the k-th smallest value when fewer than k samples fall below it,
  // and above it when at least k do.
  const std::size_t low = leading_counts(
      n, [&](std::size_t count) { return detail::binomial_at_most(count, n, q) <= tail; });
  const std::size_t high = 1 + leading_counts(n, [&](std::size_t count) {
                             return detail::binomial_above(count, n, q) > tail;
                           });
  if (low == 0 || high > n) return std::nullopt;
  const double risk =
      detail::binomial_at_most(low - 1, n, q) + detail::binomial_above(high - 1, n, q);
  return RankInterval{.low = low, .high = high, .confidence = 1 - risk};
}

std::optional<Estimate> percentile_estimate(const Samples& samples, double q, double confidence) {
  const auto value = samples.percentile(q);
  if (!value) return std::nullopt;
  Estimate estimate{.value = static_cast<double>(*value), .interval = {}, .n = samples.size()};
  if (const auto ranks = quantile_ranks(samples.size(), q, confidence)) {
    const auto sorted = samples.sorted();
    estimate.interval = Interval{.low = static_cast<double>(sorted[ranks->low - 1]),
                                 .high = static_cast<double>(sorted[ranks->high - 1]),
                                 .confidence = ranks->confidence};
  }
  return estimate;
}

std::optional<Estimate> median_of_repeats(std::span<const double> values, double confidence) {
  if (values.empty()) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t n = sorted.size();
  Estimate estimate{.value = sorted[nearest_rank(0.5, n) - 1], .interval = {}, .n = n};
  if (n < 2) return estimate;
  const RankInterval ranks =
      quantile_ranks(n, 0.5, confidence)
          .value_or(RankInterval{
              .low = 1, .high = n, .confidence = 1 - std::exp2(1 - static_cast<double>(n))});
  estimate.interval = Interval{
      .low = sorted[ranks.low - 1], .high = sorted[ranks.high - 1], .confidence = ranks.confidence};
  return estimate;
}

}  // namespace weighbridge::stats
