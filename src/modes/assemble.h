#pragma once

#include <string>
#include <vector>

#include "load/outcome.h"
#include "os/host.h"
#include "plan/plan.h"
#include "plan/redactor.h"
#include "record/record.h"
#include "sampling/sampler.h"

/// From what rooms hand over to what a record holds: pure functions, the only place where the two
/// meet.
namespace weighbridge::modes {

record::Host host_of(const os::HostFacts& facts, const os::HostLoad& load);
record::Settings settings_of(const plan::Plan& plan, bool quick, const std::string& only);

/// Samples of an outcome, with its percentiles.
record::Method method_of(const std::string& method, const std::string& detail,
                         const load::Outcome& outcome, const plan::Redactor& redact);

record::MemoryMoment moment_of(const sampling::MemoryMoment& moment, bool settled);

/// The sampler's readings as columns, in milliseconds from `origin`.
record::Trace trace_of(const sampling::Trace& trace, Instant origin);

/// The processes of the tree at a moment. A process with children in the tree is a launcher when
/// what it started is the larger part of the tree's memory: npx, uv and shells; a server that forks
/// workers of its own size is not.
std::vector<record::Process> processes_of(const sampling::MemoryMoment& moment,
                                          const sampling::Trace& trace,
                                          const plan::Redactor& redact);

/// "ESTABLISHED" for 1, and so on; states with no socket are left out.
std::map<std::string, std::uint64_t> sockets_of(const sampling::TreeSample& sample);

/// Faults, switches and bytes of the whole repeat; threads and descriptors with all clients
/// attached.
record::Resources resources_of(const sampling::TreeSample& all_clients,
                               const sampling::TreeSample& end, const sampling::Trace& trace,
                               std::size_t launched);

/// Largest sampled resident sum between two instants, both included. Absent without samples there.
std::optional<std::uint64_t> largest_resident(const sampling::Trace& trace, Instant begin,
                                              Instant end);

/// Resident MiB against clients; absent under three points (method.md, "Moments").
std::optional<record::Slope> slope_of(const std::vector<record::RampPoint>& ramp);

}  // namespace weighbridge::modes
