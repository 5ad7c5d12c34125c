#pragma once

#include <optional>
#include <string>
#include <vector>

#include "os/host.h"
#include "record/doubt.h"
#include "record/scenario.h"
#include "sampling/sampler.h"

/// Verdicts on what was measured: pure functions from readings to doubts. Each says what was seen,
/// with its figure, and what to do about it.
namespace weighbridge::modes {

/// method.md, "Processor time": over 80 % of the core given to it, or p99 lateness (max below 100
/// calls) over a tenth of the reported p50.
std::vector<record::Doubt> driver_doubts(const std::string& where, const record::Driver& driver,
                                         const std::vector<record::Method>& methods);

/// method.md, "Quiet host".
std::optional<record::Doubt> weather_doubt(const std::string& where, const os::Weather& before,
                                           const os::Weather& after);

/// Calls that were refused, failed or hung; methods of which nothing was served.
std::vector<record::Doubt> outcome_doubts(const std::string& where,
                                          const std::vector<record::Method>& methods);

/// Sources the kernel did not offer; a sampler that cost more than 0.3 % of a core per process.
std::vector<record::Doubt> sampling_doubts(const std::string& where, const sampling::Trace& trace,
                                           Duration length, std::uint64_t processes);

record::Doubt unsettled_doubt(const std::string& where, const std::string& moment,
                              Duration ceiling);
/// `pid_known`: its process tree is weighed.
record::Doubt attached_doubt(bool pid_known);
record::Doubt orphans_doubt(const std::string& where, const std::vector<std::string>& commands);
record::Doubt died_doubt(const std::string& where, const std::vector<std::string>& names,
                         const std::string& words);

/// Adds a doubt unless one of the same kind and message is there: a source that is missing in every
/// repeat is said once.
void add_once(std::vector<record::Doubt>& doubts, record::Doubt doubt);

}  // namespace weighbridge::modes
