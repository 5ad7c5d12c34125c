#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/calibration.h"

/// What weighings of a known weight come to: pure arithmetic.
namespace weighbridge::modes {

/// One figure of a known weight, before it is put on the scale. See record::KnownWeight.
struct WeightSpec {
  std::string id = {};
  std::string what = {};
  std::string kind = {};
  std::string unit = {};
  std::string truth_from = "stats";
  bool told = false;
  std::optional<double> bound = {};
  std::optional<double> bound_percent = {};
};

/// Medians over the quiet weighings, the error's interval, and the verdict against the bound: the
/// median error must lie within the wider of the two bounds. With fewer than `least_quiet` quiet
/// weighings the figures are those of all weighings and nothing is judged (method.md, "Quiet
/// host"). Verdicts (`told`) are added up instead: their truth and bound are counts.
record::KnownWeight weigh_up(const WeightSpec& spec, std::vector<record::Weighing> weighings,
                             std::uint64_t least_quiet);

/// The numbers to quote: of every kind the worst judged weight's error, at the far end of its
/// interval, so that a lucky median does not pass for accuracy. Weights without a truth above zero
/// (the null weight) have no percentage and do not count. p99 is that of the latency's weight.
record::Accuracy accuracy_of(const record::Calibration& calibration);

}  // namespace weighbridge::modes
