#pragma once

#include <functional>
#include <vector>

#include "base/error.h"
#include "modes/lab.h"
#include "modes/weigh_up.h"

namespace weighbridge::modes {

/// One figure of one weighing, before the null is subtracted.
struct ScaleReading {
  double truth = 0;
  double null_measured = 0;
  double gross = 0;  ///< null and weight together
};

/// Weights that are put on the scale together: one start of the server, or one phase, shows all
/// their figures.
struct Experiment {
  std::vector<WeightSpec> weights;
  /// Weighings that a verdict needs more of than others; 0: as many as they.
  int weighings = 0;
  /// Puts the null on the scale and then the weight. `number` is the weighing's, from 1. As many
  /// readings as there are weights, in their order. ErrorCode::system: this kernel does not show
  /// what is to be weighed.
  std::function<Result<std::vector<ScaleReading>>(Lab& lab, int number)> weigh;
};

/// Credentials that hold memory at once: as many connections.
constexpr int kMostCredentials = 500;

/// Everything that is weighed, null weights first.
std::vector<Experiment> known_weights();

/// Open loop against a server that stands still now and then: the latency that each due instant
/// must see. From due to the end of the freeze that begins before it could be served, which takes
/// `service_ms`; else zero.
struct StandStill {
  Instant begin;
  Instant end;
};
std::vector<double> frozen_latencies_ms(const std::vector<Instant>& due,
                                        const std::vector<StandStill>& freezes, double service_ms);

/// Nearest rank, of values in any order; 0 of none.
double percentile_of(std::vector<double> values, double q);

}  // namespace weighbridge::modes
