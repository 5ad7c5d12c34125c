#include "stats/samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weighbridge::stats {

std::size_t nearest_rank(double q, std::size_t n) {
  // 0.07 * 100 is 7.000000000000001 in binary, and its ceiling would be one rank too high. Both the
  // constant and the product are off by half a unit in the last place at most: allow for twice
  // that.
  constexpr double kSlack = 1 - 4 * std::numeric_limits<double>::epsilon();
  const double rank = std::ceil(q * static_cast<double>(n) * kSlack);
  return static_cast<std::size_t>(std::clamp(rank, 1.0, static_cast<double>(n)));
}

bool is_allowed(double q, std::size_t n) {
  // 1 - 0.99 is a little more than a hundredth and 1 - 0.999 a little less than a thousandth: the
  // comparison must not depend on which.
  constexpr double kSlack = 1e-9;
  const double beyond = static_cast<double>(n) * (1 - q);
  return n > 0 && (q <= 0.5 || q >= 1 || beyond >= 1 - kSlack);
}

void Samples::add(Duration latency) {
  values_.push_back(latency.count());
  sorted_ = false;
}

void Samples::merge(const Samples& other) {
  values_.insert(values_.end(), other.values_.begin(), other.values_.end());
  sorted_ = false;
}

std::span<const std::int64_t> Samples::sorted() const {
  if (!sorted_) {
    std::ranges::sort(values_);
    sorted_ = true;
  }
  return values_;
}

std::vector<std::int64_t> Samples::at_ranks(std::span<const std::size_t> ranks) const {
  std::vector<std::int64_t> found;
  found.reserve(ranks.size());
  auto unsettled = values_.begin();
  for (const std::size_t rank : ranks) {
    const auto place = values_.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
    if (!sorted_ && place >= unsettled) {
      std::nth_element(unsettled, place, values_.end());
      unsettled = place + 1;
    }
    found.push_back(*place);
  }
  return found;
}

std::optional<std::int64_t> Samples::percentile(double q) const {
  if (empty()) return std::nullopt;
  return sorted()[nearest_rank(q, size()) - 1];
}

std::optional<std::int64_t> Samples::allowed(double q) const {
  return is_allowed(q, size()) ? percentile(q) : std::nullopt;
}

}  // namespace weighbridge::stats
