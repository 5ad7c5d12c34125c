#pragma once

#include <functional>
#include <optional>

#include "record/scenario.h"
#include "stats/interval.h"

namespace weighbridge::report::detail {

/// Median over the repeats of what `reading` finds in each, with the interval their number allows;
/// repeats without it are left out.
std::optional<stats::Estimate> median_of(
    const record::Scenario& scenario,
    const std::function<std::optional<double>(const record::Repeat&)>& reading);

/// Largest over the repeats that have it.
std::optional<double> most_of(
    const record::Scenario& scenario,
    const std::function<std::optional<double>(const record::Repeat&)>& reading);

}  // namespace weighbridge::report::detail
