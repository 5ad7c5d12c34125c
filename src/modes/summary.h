#pragma once

#include <vector>

#include "record/scenario.h"

namespace weighbridge::modes {

/// The figures to quote, from whatever repeats there are: medians with the interval their number
/// allows; latencies pooled over the repeats, with order-statistic intervals. Pure.
record::Summary summarise(const std::vector<record::Repeat>& repeats);

/// Milliseconds (done - due) to the figures of method.md, "Percentiles"; absent without samples.
std::optional<record::Latency> latency_of(const std::vector<double>& samples_ms);

}  // namespace weighbridge::modes
