#pragma once

#include <string>
#include <vector>

#include "load/phase_outcome.h"
#include "load/spec.h"
#include "os/host.h"
#include "plan/redactor.h"
#include "record/load_record.h"
#include "sampling/tree_sample.h"

/// From an engine's outcome to a step of the record: pure, like assemble.h.
namespace weighbridge::modes {

record::LoadStep step_of(const load::Spec& spec, const load::PhaseOutcome& outcome,
                         std::size_t credentials, const plan::Redactor& redact);

/// What the tree cost between two readings.
record::LoadTarget target_of(const sampling::TreeSample& before, const sampling::TreeSample& after,
                             const std::vector<sampling::TreeSample>& between,
                             const record::LoadStep& step);

/// Reasons to trust the step less: the driver's limits (method.md, "Processor time"; slots that
/// were too few; counts that do not agree), the weather, what was not served.
std::vector<record::Doubt> load_doubts(const std::string& where, const record::LoadStep& step);

}  // namespace weighbridge::modes
