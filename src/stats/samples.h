#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"

namespace weighbridge::stats {

/// Nearest rank of the quantile `q` in [0, 1] among `n` > 0 sorted values: ceil(q * n), at least 1,
/// at most n. 1-based.
std::size_t nearest_rank(double q, std::size_t n);

/// Whether n samples are enough to print the quantile, so that it is not merely the maximum under
/// another name: n * (1 - q) >= 1, which is 100 samples for p99 and 1000 for p99.9. Quantiles up to
/// the median, and q = 1, need one sample.
bool is_allowed(double q, std::size_t n);

/// Exact latencies in nanoseconds, 8 bytes each. Merges by addition, so workers, threads and hosts
/// each fill their own.
///
/// Sorting happens at the first ordered question and is kept until the next `add`. The price is
/// that asking is not thread-safe even through a const reference; the alternative, a sorted copy
/// for each question, doubled the memory of the largest thing a run holds.
class Samples {
 public:
  void reserve(std::size_t count) { values_.reserve(count); }
  void add(Duration latency);
  /// `other` is another set: merging with oneself is undefined.
  void merge(const Samples& other);

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  /// Nanoseconds, ascending. Valid until the next change.
  [[nodiscard]] std::span<const std::int64_t> sorted() const;

  /// Nanoseconds, in no order. Valid until the next ordered question.
  [[nodiscard]] std::span<const std::int64_t> unordered() const { return values_; }
  /// The values at ascending 1-based ranks, without sorting what lies between: for a few ranks of
  /// many samples a tenth of the time.
  [[nodiscard]] std::vector<std::int64_t> at_ranks(std::span<const std::size_t> ranks) const;

  /// Nearest-rank percentile, nanoseconds: a value that was observed. q in [0, 1]; absent only
  /// without samples.
  [[nodiscard]] std::optional<std::int64_t> percentile(double q) const;

  /// The percentile where is_allowed() lets it be printed.
  [[nodiscard]] std::optional<std::int64_t> allowed(double q) const;

 private:
  mutable std::vector<std::int64_t> values_;
  mutable bool sorted_ = true;
};

}  // namespace weighbridge::stats
