#include "record/calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace weighbridge::record {
namespace {

constexpr std::array<std::pair<WeightVerdict, std::string_view>, 3> kVerdicts{
    {{WeightVerdict::within, "within"},
     {WeightVerdict::outside, "outside"},
     {WeightVerdict::too_few_quiet, "too_few_quiet"}}};

}  // namespace

std::string_view to_string(WeightVerdict verdict) {
  for (const auto& [known, text] : kVerdicts)
    if (known == verdict) return text;
  return {};
}

bool from_string(std::string_view text, WeightVerdict& verdict) {
  for (const auto& [known, name] : kVerdicts) {
    if (name != text) continue;
    verdict = known;
    return true;
  }
  return false;
}

bool same_machine(const Host& left, const Host& right) {
  // A kernel keeps more or less of the memory for itself from one start to the next.
  constexpr double kSameMemory = 0.1;
  return left.cpu_model == right.cpu_model && left.logical_cpus == right.logical_cpus &&
         std::fabs(left.memory_gib - right.memory_gib) < kSameMemory &&
         left.kernel == right.kernel && left.distribution == right.distribution &&
         left.architecture == right.architecture && left.governor == right.governor;
}

bool same_build(const Build& left, const Build& right) {
  return left.version == right.version && left.commit == right.commit &&
         left.compiler == right.compiler && left.build_type == right.build_type;
}

bool all_within(const Calibration& calibration) {
  return std::ranges::all_of(calibration.weights, [](const KnownWeight& weight) {
    return weight.verdict == WeightVerdict::within;
  });
}

}  // namespace weighbridge::record
