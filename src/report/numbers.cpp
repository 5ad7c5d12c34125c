#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace weighbridge::report {
namespace {

constexpr int kMostDecimals = 6;

/// Decimals that leave three significant digits.
int decimals_of(double value) {
  const double size = std::fabs(value);
  if (size == 0) return 0;
  int decimals = 2 - static_cast<int>(std::floor(std::log10(size)));
  // 9.996 rounds up into the next decade: 10.0, not 10.00.
  if (decimals > 0 && std::round(size * std::pow(10, decimals)) >= 1000) --decimals;
  return std::clamp(decimals, 0, kMostDecimals);
}

std::string with_decimals(double value, int decimals) {
  // Rounding may leave "-0.00", which reads as a cost below nothing.
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.front() == '-' && text.find_first_of("123456789") == std::string::npos) text.erase(0, 1);
  return text;
}

}  // namespace

std::string figure(double value) {
  if (!std::isfinite(value)) return std::string(kAbsent);
  return with_decimals(value, decimals_of(value));
}

std::string figure(const std::optional<double>& value) {
  return value ? figure(*value) : std::string(kAbsent);
}

std::string whole(std::uint64_t count) {
  return fmt::format("{}", count);
}

std::string whole(const std::optional<std::uint64_t>& count) {
  return count ? whole(*count) : std::string(kAbsent);
}

std::string percentage(double share) {
  return figure(share * 100) + " %";
}

Cell figure_cell(const std::optional<double>& value,
                 const std::optional<stats::Interval>& interval) {
  if (!value || !std::isfinite(*value)) return {};
  if (!interval || !std::isfinite(interval->low) || !std::isfinite(interval->high))
    return figure(*value);
  const double nearer_end =
      std::min(std::fabs(interval->low - *value), std::fabs(interval->high - *value));
  const int decimals = decimals_of(std::max(std::fabs(*value), nearer_end));
  const auto end = [&](double number) {
    return with_decimals(number, number == 0 ? decimals : std::min(decimals, decimals_of(number)));
  };
  const std::string middle = with_decimals(*value, decimals);
  const std::string low = end(interval->low);
  const std::string high = end(interval->high);
  if (low == middle && high == middle) return middle;
  return {middle, fmt::format("[{}, {}]", low, high)};
}

Cell figure_cell(const std::optional<stats::Estimate>& estimate) {
  if (!estimate) return {};
  return figure_cell(estimate->value, estimate->interval);
}

Cell count_cell(const std::optional<stats::Estimate>& estimate) {
  if (!estimate) return {};
  const auto count = [](double number) { return with_decimals(number, 0); };
  const std::string middle = count(estimate->value);
  if (!estimate->interval) return middle;
  const std::string low = count(estimate->interval->low);
  const std::string high = count(estimate->interval->high);
  if (low == middle && high == middle) return middle;
  return {middle, fmt::format("[{}, {}]", low, high)};
}

std::string joined(const Cell& cell) {
  return cell.spread.empty() ? cell.value : cell.value + " " + cell.spread;
}

}  // namespace weighbridge::report
