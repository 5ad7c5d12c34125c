#include "load/live.h"

#include <algorithm>

#include "stats/samples.h"

namespace weighbridge::load {

std::size_t Live::bucket_of(Duration latency) {
  const auto ns = static_cast<std::uint64_t>(std::max(latency, Duration(1)).count());
  const int doublings = std::max(static_cast<int>(std::bit_width(ns)) - kPerDoublingBits - 1, 0);
  const auto within = (ns >> doublings) & (kPerDoubling - 1U);
  // Below 2 * kPerDoubling every nanosecond has a bucket of its own.
  const std::uint64_t bucket =
      ns < 2 * kPerDoubling ? ns
                            : static_cast<std::uint64_t>(doublings + 1) * kPerDoubling + within;
  return std::min<std::size_t>(bucket, kBuckets - 1);
}

Duration Live::middle_of(std::size_t bucket) {
  if (bucket < 2 * kPerDoubling) return Duration(static_cast<std::int64_t>(bucket));
  const auto doublings = static_cast<int>(bucket / kPerDoubling) - 1;
  const std::int64_t low = static_cast<std::int64_t>(kPerDoubling + bucket % kPerDoubling)
                           << doublings;
  return Duration(low + (std::int64_t{1} << doublings) / 2);
}

void Live::add_to(Reading& reading) const {
  for (std::size_t i = 0; i < outcomes_.size(); ++i)
    reading.outcomes[i] += outcomes_[i].load(std::memory_order_relaxed);
  reading.in_flight += in_flight_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < kBuckets; ++i)
    reading.buckets[i] += buckets_[i].load(std::memory_order_relaxed);
}

std::optional<Duration> Live::Reading::percentile(double q, const Reading& before) const {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) total += buckets[i] - before.buckets[i];
  if (total == 0) return std::nullopt;
  std::uint64_t rank = stats::nearest_rank(q, total);
  for (std::size_t i = 0; i < kBuckets; ++i) {
    const std::uint64_t here = buckets[i] - before.buckets[i];
    if (here >= rank) return middle_of(i);
    rank -= here;
  }
  return std::nullopt;
}

}  // namespace weighbridge::load
