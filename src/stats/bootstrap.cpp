#include "stats/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "stats/detail/distributions.h"
#include "stats/detail/mean.h"

namespace weighbridge::stats {
namespace {

double resampled_mean(std::span<const double> values, Random& random) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[random.below(values.size())];
  return sum / static_cast<double>(values.size());
}

/// The means that remain when each value in turn is left out.
std::vector<double> means_without_one(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double whole = detail::mean(values);
  std::vector<double> means;
  means.reserve(values.size());
  for (const double value : values) means.push_back(whole + (whole - value) / (n - 1));
  return means;
}

/// Sums over the jackknife from which the acceleration is made; they add up over independent sets.
struct Influence {
  double cubes = 0;
  double squares = 0;

  Influence& operator+=(const Influence& other) {
    cubes += other.cubes;
    squares += other.squares;
    return *this;
  }
};

Influence influence(std::span<const double> without_one) {
  const auto n = static_cast<double>(without_one.size());
  const double centre = detail::mean(without_one);
  Influence sums;
  for (const double figure : without_one) {
    const double pull = (n - 1) * (centre - figure) / n;
    sums.cubes += pull * pull * pull;
    sums.squares += pull * pull;
  }
  return sums;
}

double acceleration(const Influence& sums) {
  return sums.squares > 0 ? sums.cubes / (6 * std::pow(sums.squares, 1.5)) : 0;
}

/// Normal quantile of the share of resampled figures below the estimate, ties counted half. Kept
/// finite: a share of 0 or 1 only says that it is beyond what so many resamples can tell.
double bias(std::span<const double> sorted, double value) {
  const auto [first, last] = std::ranges::equal_range(sorted, value);
  const auto total = static_cast<double>(sorted.size());
  const auto below = static_cast<double>(first - sorted.begin());
  const auto ties = static_cast<double>(last - first);
  return detail::normal_quantile(
      std::clamp((below + ties / 2) / total, 0.5 / total, 1 - 0.5 / total));
}

/// The standard normal deviate of one tail, widened for `n` values.
double widened_deviate(double confidence, std::size_t n) {
  const auto count = static_cast<double>(n);
  return std::sqrt(count / (count - 1)) * detail::t_quantile((1 + confidence) / 2, count - 1);
}

bool supports_interval(std::size_t n, const Bootstrap& how) {
  return how.resamples > 0 && how.confidence > 0 && how.confidence < 1 &&
         1 - std::exp2(1 - static_cast<double>(n)) >= how.confidence;
}

/// `figures`: the resampled estimates; `n`: size of the smallest set resampled.
std::optional<Interval> interval_of(std::vector<double> figures, double value, std::size_t n,
                                    double accelerate, const Bootstrap& how) {
  if (!std::ranges::all_of(figures, [](double figure) { return std::isfinite(figure); })) {
    return std::nullopt;
  }
  std::ranges::sort(figures);
  const double deviate = widened_deviate(how.confidence, n);
  const double shift = how.kind == BootstrapKind::bca ? bias(figures, value) : 0;
  const double bend = how.kind == BootstrapKind::bca ? accelerate : 0;
  const auto end = [&](double z) {
    const double moved = shift + z;
    // Past the pole of the correction (absurd confidence, extreme skew) only the end itself is
    // left.
    const double bent = 1 - bend * moved;
    const double share =
        bent > 0 ? detail::normal_below(shift + moved / bent) : (moved > 0 ? 1 : 0);
    return figures[nearest_rank(share, figures.size()) - 1];
  };
  return Interval{.low = end(-deviate), .high = end(deviate), .confidence = how.confidence};
}

}  // namespace

std::optional<Estimate> bootstrap_mean(std::span<const double> values, const Bootstrap& how) {
  if (values.empty()) return std::nullopt;
  Estimate estimate{.value = detail::mean(values), .interval = {}, .n = values.size()};
  if (!supports_interval(values.size(), how)) return estimate;
  Random random(how.seed);
  std::vector<double> figures(how.resamples);
  std::ranges::generate(figures, [&] { return resampled_mean(values, random); });
  const double accelerate = acceleration(influence(means_without_one(values)));
  estimate.interval =
      interval_of(std::move(figures), estimate.value, values.size(), accelerate, how);
  return estimate;
}

std::optional<Estimate> bootstrap_ratio_of_means(std::span<const double> numerator,
                                                 std::span<const double> denominator,
                                                 const Bootstrap& how) {
  if (numerator.empty() || denominator.empty()) return std::nullopt;
  const double top = detail::mean(numerator);
  const double bottom = detail::mean(denominator);
  if (!(bottom > 0)) return std::nullopt;
  const std::size_t n = std::min(numerator.size(), denominator.size());
  Estimate estimate{.value = top / bottom, .interval = {}, .n = n};
  if (!supports_interval(n, how)) return estimate;

  Random random(how.seed);
  std::vector<double> figures(how.resamples);
  std::ranges::generate(figures, [&] {
    const double resampled_top = resampled_mean(numerator, random);
    const double resampled_bottom = resampled_mean(denominator, random);
    return resampled_bottom > 0 ? resampled_top / resampled_bottom : INFINITY;
  });
  std::vector<double> without_top = means_without_one(numerator);
  for (double& figure : without_top) figure /= bottom;
  std::vector<double> without_bottom = means_without_one(denominator);
  for (double& figure : without_bottom) figure = top / figure;
  Influence sums = influence(without_top);
  sums += influence(without_bottom);
  estimate.interval = interval_of(std::move(figures), estimate.value, n, acceleration(sums), how);
  return estimate;
}

}  // namespace weighbridge::stats
