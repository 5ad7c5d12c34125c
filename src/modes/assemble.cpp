#include "modes/assemble.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/units.h"
#include "modes/summary.h"
#include "stats/least_squares.h"

namespace weighbridge::modes {
namespace {

std::optional<double> mib(std::optional<std::uint64_t> bytes) {
  if (!bytes) return std::nullopt;
  return to_mib(static_cast<double>(*bytes));
}

record::OutcomeLatency outcome_of(const load::OutcomeTally& tally, const plan::Redactor& redact) {
  record::OutcomeLatency outcome;
  outcome.count = tally.count;
  outcome.samples_ms.reserve(tally.latencies.size());
  for (const Duration latency : tally.latencies)
    outcome.samples_ms.push_back(to_milliseconds(latency));
  outcome.latency = latency_of(outcome.samples_ms);
  outcome.first_text = redact(tally.first_text);
  return outcome;
}

std::optional<record::Latency> latency_of_samples(const stats::Samples& samples) {
  std::vector<double> ms;
  ms.reserve(samples.size());
  for (const std::int64_t ns : samples.sorted()) ms.push_back(static_cast<double>(ns) / 1e6);
  return latency_of(ms);
}

/// Nearest-rank median, as everywhere.
std::optional<std::uint64_t> median(std::vector<std::uint64_t> values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  return values[(values.size() - 1) / 2];
}

/// Resident bytes of every descendant of `pid` at the moment.
std::uint64_t resident_below(const sampling::MemoryMoment& moment, pid_t pid) {
  std::uint64_t below = 0;
  for (const sampling::ProcessSample& other : moment.processes) {
    if (other.parent == pid && other.pid != pid)
      below += other.resident_bytes + resident_below(moment, other.pid);
  }
  return below;
}

std::string media_words(const load::MediaTally& media) {
  if (media.stdio > 0) return "stdio";
  if (media.json > 0 && media.sse > 0) return "json+sse";
  if (media.sse > 0) return "sse";
  return media.json > 0 ? "json" : "";
}

}  // namespace

record::Host host_of(const os::HostFacts& facts, const os::HostLoad& load) {
  record::Host host;
  host.cpu_model = facts.cpu_model;
  host.cpu_mhz = facts.cpu_mhz;
  host.logical_cpus = facts.logical_cpus;
  host.memory_gib = static_cast<double>(facts.memory_bytes) / (1024.0 * 1024 * 1024);
  host.disk_kind = facts.disk_kind;
  host.file_system = facts.file_system;
  host.kernel = facts.kernel;
  host.distribution = facts.distribution;
  host.architecture = facts.architecture;
  host.governor = facts.governor;
  host.load_average_1m = load.load_average_1m;
  return host;
}

record::Settings settings_of(const plan::Plan& plan, bool quick, const std::string& only) {
  record::Settings settings;
  settings.rounds = plan.run.rounds;
  settings.repeat = plan.run.repeat;
  settings.stdio_clients = plan.stdio ? plan.run.stdio_clients : 0;
  settings.http_clients = plan.http ? plan.run.http_clients : 0;
  settings.sample_interval_ms = to_milliseconds(plan.run.sample_interval);
  settings.call_timeout_seconds = to_seconds(plan.run.call_timeout);
  settings.first_list_timeout_seconds = to_seconds(plan.run.first_list_timeout);
  settings.ready_timeout_seconds = to_seconds(plan.run.ready_timeout);
  settings.quick = quick;
  settings.only = only;
  return settings;
}

record::Method method_of(const std::string& method, const std::string& detail,
                         const load::Outcome& outcome, const plan::Redactor& redact) {
  using protocol::Outcome;
  record::Method result;
  result.method = method;
  result.detail = detail;
  result.sent = outcome.sent();
  result.served = outcome_of(outcome.of(Outcome::served), redact);
  result.refused = outcome_of(outcome.of(Outcome::refused), redact);
  result.failed = outcome_of(outcome.of(Outcome::failed), redact);
  result.hung = outcome_of(outcome.of(Outcome::hung), redact);
  result.service = latency_of_samples(outcome.service);
  result.lateness = latency_of_samples(outcome.lateness);
  result.media = media_words(outcome.media);
  result.reply_bytes = median(outcome.message_bytes);
  result.reply_wire_bytes = median(outcome.wire_bytes);
  result.wall_seconds = to_seconds(outcome.wall);
  return result;
}

record::MemoryMoment moment_of(const sampling::MemoryMoment& moment, bool settled) {
  return {to_mib(static_cast<double>(moment.resident_bytes)), mib(moment.proportional_bytes),
          mib(moment.private_dirty_bytes), settled};
}

record::Trace trace_of(const sampling::Trace& trace, Instant origin) {
  record::Trace columns;
  for (const sampling::TreeSample& sample : trace.samples) {
    columns.at_ms.push_back(to_milliseconds(sample.at - origin));
    columns.resident_mib.push_back(to_mib(static_cast<double>(sample.resident_bytes)));
    columns.cpu_seconds.push_back(to_seconds(sample.cpu));
    columns.threads.push_back(sample.threads);
    columns.processes.push_back(sample.processes);
  }
  return columns;
}

std::vector<record::Process> processes_of(const sampling::MemoryMoment& moment,
                                          const sampling::Trace& trace,
                                          const plan::Redactor& redact) {
  std::vector<record::Process> processes;
  for (const sampling::ProcessSample& sample : moment.processes) {
    record::Process process;
    process.name = sample.name;
    for (const sampling::ProcessLife& life : trace.processes) {
      if (life.last.pid == sample.pid && life.last.start_ticks == sample.start_ticks) {
        process.command = redact(life.command);
      }
    }
    const std::uint64_t below = resident_below(moment, sample.pid);
    process.role = below > 0 && below >= sample.resident_bytes / 4 ? "launcher" : "server";
    process.resident_mib = to_mib(static_cast<double>(sample.resident_bytes));
    process.proportional_mib = mib(sample.proportional_bytes);
    process.threads = sample.threads;
    processes.push_back(std::move(process));
  }
  return processes;
}

std::map<std::string, std::uint64_t> sockets_of(const sampling::TreeSample& sample) {
  static constexpr std::array<const char*, sampling::kTcpStates> kNames{
      "",          "ESTABLISHED", "SYN_SENT",   "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2",
      "TIME_WAIT", "CLOSE",       "CLOSE_WAIT", "LAST_ACK", "LISTEN",    "CLOSING"};
  std::map<std::string, std::uint64_t> sockets;
  if (!sample.sockets) return sockets;
  for (std::size_t state = 1; state < sampling::kTcpStates; ++state) {
    if ((*sample.sockets)[state] > 0) sockets[kNames[state]] = (*sample.sockets)[state];
  }
  return sockets;
}

record::Resources resources_of(const sampling::TreeSample& all_clients,
                               const sampling::TreeSample& end, const sampling::Trace& trace,
                               std::size_t launched) {
  record::Resources resources;
  resources.processes = all_clients.processes;
  resources.threads = all_clients.threads;
  resources.descriptors = all_clients.descriptors;
  for (const sampling::TreeSample& sample : trace.samples) {
    resources.threads_peak = std::max(resources.threads_peak, sample.threads);
    if (sample.descriptors) {
      resources.descriptors_peak =
          std::max(resources.descriptors_peak.value_or(0), *sample.descriptors);
    }
    // Sockets are absent on ticks where they were too dear; the reading nearest before the moment
    // stands.
    if (sample.at <= all_clients.at && sample.sockets) resources.sockets = sockets_of(sample);
  }
  if (all_clients.sockets) resources.sockets = sockets_of(all_clients);
  resources.minor_faults = end.minor_faults;
  resources.major_faults = end.major_faults;
  resources.read_bytes = end.read_bytes;
  resources.written_bytes = end.written_bytes;
  resources.voluntary_switches = end.voluntary_switches;
  resources.involuntary_switches = end.involuntary_switches;
  resources.children_started =
      trace.processes.size() > launched ? trace.processes.size() - launched : 0;
  resources.orphaned = static_cast<std::uint64_t>(std::ranges::count_if(
      trace.processes, [](const sampling::ProcessLife& life) { return life.orphaned; }));
  return resources;
}

std::optional<std::uint64_t> largest_resident(const sampling::Trace& trace, Instant begin,
                                              Instant end) {
  std::optional<std::uint64_t> largest;
  for (const sampling::TreeSample& sample : trace.samples) {
    if (sample.at < begin || sample.at > end) continue;
    largest = std::max(largest.value_or(0), sample.resident_bytes);
  }
  return largest;
}

std::optional<record::Slope> slope_of(const std::vector<record::RampPoint>& ramp) {
  std::vector<double> clients;
  std::vector<double> resident;
  for (const record::RampPoint& point : ramp) {
    clients.push_back(point.client);
    resident.push_back(point.resident_mib);
  }
  const auto line = stats::least_squares(clients, resident);
  if (!line || !line->slope.interval) return std::nullopt;
  return record::Slope{line->slope.value, line->slope.interval->low, line->slope.interval->high,
                       line->slope.interval->confidence, ramp.size()};
}

}  // namespace weighbridge::modes
