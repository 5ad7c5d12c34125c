#include "stats/growth.h"

#include <array>
#include <cmath>

#include "stats/detail/distributions.h"
#include "stats/detail/mean.h"

namespace weighbridge::stats {
namespace {

constexpr std::size_t kBlocks = 8;

bool usable(std::span<const double> x, std::span<const double> y, double alpha) {
  if (x.size() < kLeastGrowthPoints || y.size() != x.size() || !(alpha > 0 && alpha < 1))
    return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) return false;
    if (i > 0 && !(x[i] > x[i - 1])) return false;
  }
  return true;
}

}  // namespace

std::optional<Growth> growth(std::span<const double> x, std::span<const double> y, double alpha) {
  if (!usable(x, y, alpha)) return std::nullopt;
  // Blocks as equal as they can be: the first ones take the points that are left over.
  std::array<double, kBlocks> mean_x{};
  std::array<double, kBlocks> mean_y{};
  std::size_t at = 0;
  for (std::size_t block = 0; block < kBlocks; ++block) {
    const std::size_t length = x.size() / kBlocks + (block < x.size() % kBlocks ? 1 : 0);
    mean_x[block] = detail::mean(x.subspan(at, length));
    mean_y[block] = detail::mean(y.subspan(at, length));
    at += length;
  }
  std::array<double, kBlocks - 1> slopes{};
  for (std::size_t i = 0; i < slopes.size(); ++i)
    slopes[i] = (mean_y[i + 1] - mean_y[i]) / (mean_x[i + 1] - mean_x[i]);

  const double mean = detail::mean(slopes);
  double squares = 0;
  for (const double slope : slopes) squares += (slope - mean) * (slope - mean);
  constexpr auto kCount = static_cast<double>(kBlocks - 1);
  const double error = std::sqrt(squares / (kCount - 1) / kCount);
  const double half = error * detail::t_quantile(1 - alpha / 2, kCount - 1);
  Growth verdict{.per_unit = {.value = mean,
                              .interval = Interval{mean - half, mean + half, 1 - alpha},
                              .n = x.size()},
                 .grows = mean - half > 0};
  return verdict;
}

}  // namespace weighbridge::stats
