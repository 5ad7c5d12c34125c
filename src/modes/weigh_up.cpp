#include "modes/weigh_up.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "stats/interval.h"

namespace weighbridge::modes {
namespace {

using record::KnownWeight;
using record::Weighing;
using record::WeightVerdict;

/// A sum of doubles that should be nothing may be off by a rounding.
constexpr double kRounding = 1e-9;

std::vector<double> column(const std::vector<Weighing>& weighings, double Weighing::* member) {
  std::vector<double> values;
  values.reserve(weighings.size());
  for (const Weighing& weighing : weighings) values.push_back(weighing.*member);
  return values;
}

double median(const std::vector<double>& values) {
  const auto estimate = stats::median_of_repeats(values);
  return estimate ? estimate->value : 0;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

bool within_bound(const KnownWeight& weight) {
  double allowed = weight.bound.value_or(0);
  if (weight.bound_percent)
    allowed = std::max(allowed, *weight.bound_percent / 100 * std::fabs(weight.truth));
  return std::fabs(weight.error.value) <= allowed + kRounding;
}

/// At the far end of the interval, in the unit of the weight.
double worst_error(const KnownWeight& weight) {
  const auto& interval = weight.error.interval;
  if (!interval) return std::fabs(weight.error.value);
  return std::max(std::fabs(interval->low), std::fabs(interval->high));
}

void raise(std::optional<double>& worst, double error) {
  worst = std::max(worst.value_or(0), error);
}

}  // namespace

KnownWeight weigh_up(const WeightSpec& spec, std::vector<Weighing> weighings,
                     std::uint64_t least_quiet) {
  KnownWeight weight;
  weight.id = spec.id;
  weight.what = spec.what;
  weight.kind = spec.kind;
  weight.unit = spec.unit;
  weight.truth_from = spec.truth_from;
  weight.told = spec.told;
  weight.bound = spec.bound;
  weight.bound_percent = spec.bound_percent;

  std::vector<Weighing> counted;
  std::ranges::copy_if(weighings, std::back_inserter(counted), &Weighing::quiet);
  weight.not_quiet = weighings.size() - counted.size();
  const bool judged = !counted.empty() && counted.size() >= least_quiet;
  if (!judged) counted = weighings;
  weight.counted = counted.size();
  weight.weighings = std::move(weighings);

  const auto summary = spec.told ? sum : median;
  weight.truth = summary(column(counted, &Weighing::truth));
  weight.null_measured = summary(column(counted, &Weighing::null_measured));
  weight.measured = summary(column(counted, &Weighing::measured));
  if (spec.told) {
    weight.error = {weight.measured - weight.truth, std::nullopt, counted.size()};
  } else {
    std::vector<double> errors;
    for (const Weighing& each : counted) errors.push_back(each.measured - each.truth);
    weight.error = stats::median_of_repeats(errors).value_or(stats::Estimate{});
    if (weight.truth != 0) weight.error_percent = 100 * weight.error.value / weight.truth;
  }
  if (judged)
    weight.verdict = within_bound(weight) ? WeightVerdict::within : WeightVerdict::outside;
  return weight;
}

record::Accuracy accuracy_of(const record::Calibration& calibration) {
  record::Accuracy accuracy;
  accuracy.calibrated_at = calibration.generated_at;
  accuracy.quick = calibration.quick;
  accuracy.weights = calibration.weights.size();
  for (const KnownWeight& weight : calibration.weights) {
    if (weight.verdict == WeightVerdict::within) ++accuracy.weights_within;
    if (weight.verdict == WeightVerdict::too_few_quiet || weight.truth <= 0) continue;
    const double error = worst_error(weight);
    if (weight.kind == "memory") raise(accuracy.memory_percent, 100 * error / weight.truth);
    if (weight.kind == "cpu") raise(accuracy.cpu_percent, 100 * error / weight.truth);
    if (weight.kind == "latency" && weight.unit == "ms" && weight.id.ends_with("-p99"))
      raise(accuracy.p99_us, 1000 * error);
  }
  return accuracy;
}

}  // namespace weighbridge::modes
