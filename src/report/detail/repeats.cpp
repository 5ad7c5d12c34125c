#include "report/detail/repeats.h"

#include <algorithm>
#include <vector>

namespace weighbridge::report::detail {
namespace {

std::vector<double> readings_of(
    const record::Scenario& scenario,
    const std::function<std::optional<double>(const record::Repeat&)>& reading) {
  std::vector<double> values;
  for (const record::Repeat& repeat : scenario.repeats) {
    if (const auto value = reading(repeat)) values.push_back(*value);
  }
  return values;
}

}  // namespace

std::optional<stats::Estimate> median_of(
    const record::Scenario& scenario,
    const std::function<std::optional<double>(const record::Repeat&)>& reading) {
  return stats::median_of_repeats(readings_of(scenario, reading));
}

std::optional<double> most_of(
    const record::Scenario& scenario,
    const std::function<std::optional<double>(const record::Repeat&)>& reading) {
  const std::vector<double> values = readings_of(scenario, reading);
  if (values.empty()) return std::nullopt;
  return *std::ranges::max_element(values);
}

}  // namespace weighbridge::report::detail
