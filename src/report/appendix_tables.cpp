#include "report/appendix_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/units.h"
#include "report/detail/repeats.h"
#include "report/wording.h"

namespace weighbridge::report {
namespace {

using detail::median_of;
using detail::most_of;

Cell seconds_cell(const record::Scenario& scenario, double record::Cpu::* member) {
  return figure_cell(
      median_of(scenario, [member](const record::Repeat& repeat) { return repeat.cpu.*member; }));
}

Cell resource_cell(const record::Scenario& scenario, std::uint64_t record::Resources::* member) {
  return count_cell(median_of(scenario, [member](const record::Repeat& repeat) {
    return static_cast<double>(repeat.resources.*member);
  }));
}

Cell bytes_cell(const record::Scenario& scenario,
                std::optional<std::uint64_t> record::Resources::* member) {
  const auto bytes =
      median_of(scenario, [member](const record::Repeat& repeat) -> std::optional<double> {
        const auto& value = repeat.resources.*member;
        return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
      });
  return bytes ? Cell(format_size_decimal(bytes->value)) : Cell();
}

std::string count_text(const std::optional<double>& count) {
  return count ? fmt::format("{:.0f}", *count) : std::string(kAbsent);
}

/// "ESTABLISHED 8, LISTEN 1"
std::string by_name(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts)
    if (count > 0) parts.push_back(fmt::format("{} {}", name, count));
  return parts.empty() ? std::string(kAbsent) : fmt::format("{}", fmt::join(parts, ", "));
}

struct ProcessGroup {
  std::uint64_t count = 0;
  double resident_mib = 0;
  std::optional<double> proportional_mib = 0.0;
  std::uint64_t threads = 0;
};

/// Launchers after servers: what the person asked to weigh stands first.
using ProcessKey = std::tuple<bool, std::string, std::string, std::string>;

std::map<ProcessKey, ProcessGroup> grouped(const std::vector<record::Process>& processes) {
  std::map<ProcessKey, ProcessGroup> groups;
  for (const record::Process& process : processes) {
    ProcessGroup& group =
        groups[{process.role != "server", process.role, process.name, process.command}];
    ++group.count;
    group.resident_mib += process.resident_mib;
    group.threads += process.threads;
    if (group.proportional_mib && process.proportional_mib)
      *group.proportional_mib += *process.proportional_mib;
    else
      group.proportional_mib.reset();
  }
  return groups;
}

const record::Repeat* repeat_with_processes(const record::Scenario& scenario) {
  const auto found = std::ranges::find_if(
      scenario.repeats, [](const record::Repeat& repeat) { return !repeat.processes.empty(); });
  return found == scenario.repeats.end() ? nullptr : &*found;
}

bool any_proportional(const record::Record& record) {
  for (const record::Scenario& scenario : record.scenarios) {
    const record::Repeat* seen = repeat_with_processes(scenario);
    if (seen == nullptr) continue;
    for (const record::Process& process : seen->processes)
      if (process.proportional_mib) return true;
  }
  return false;
}

/// The worse of the readings around a repeat.
std::optional<double> weather_of(const record::Repeat& repeat,
                                 double record::WeatherReading::* member) {
  std::optional<double> worst;
  for (const auto& reading : {repeat.weather_before, repeat.weather_after}) {
    if (reading) worst = std::max(worst.value_or(0), (*reading).*member);
  }
  return worst;
}

/// The worst lateness of any method: what the driver's own queue may have added.
std::optional<record::Latency> worst_lateness(const record::Scenario& scenario) {
  std::optional<record::Latency> worst;
  for (const record::MethodSummary& method : scenario.summary.methods) {
    if (method.lateness && (!worst || method.lateness->max_ms > worst->max_ms))
      worst = method.lateness;
  }
  return worst;
}

}  // namespace

Table servers_table(const record::Record& record) {
  Table table;
  table.title = "What was weighed";
  table.columns = {{"Transport", Content::text},
                   {"Variant", Content::text},
                   {"Server", Content::text},
                   {"Version", Content::text},
                   {"Revision", Content::text},
                   {"How it was found", Content::text},
                   {"Tools"},
                   {"Resources"},
                   {"Instructions"},
                   {"Called tool", Content::code}};
  const auto word = [](const std::string& text) { return text.empty() ? Cell() : Cell(text); };
  for (const record::Server& server : record.servers) {
    std::string tool = server.tool;
    if (!tool.empty() && server.tool_chosen) tool += " (chosen)";
    table.rows.push_back({server.transport, server.variant, word(server.name), word(server.version),
                          word(server.revision), word(server.era_evidence), whole(server.tools),
                          whole(server.resources),
                          format_size_decimal(static_cast<double>(server.instructions_bytes)),
                          word(tool)});
  }
  return table;
}

Table processes_table(const record::Record& record) {
  Table table;
  table.title = "Processes of the tree (MiB), all clients attached";
  const bool proportional = any_proportional(record);
  table.columns = {{"Scenario", Content::text}, {"Role", Content::text},    {"Processes"},
                   {"Name", Content::text},     {"Command", Content::code}, {"Resident"}};
  if (proportional) table.columns.push_back({"Proportional"});
  table.columns.push_back({"Threads"});
  for (const record::Scenario& scenario : record.scenarios) {
    const record::Repeat* seen = repeat_with_processes(scenario);
    if (seen == nullptr) continue;
    for (const auto& [key, group] : grouped(seen->processes)) {
      const auto& [late, role, name, command] = key;
      Row row{scenario_label(scenario),  role, whole(group.count), name, command,
              figure(group.resident_mib)};
      if (proportional) row.emplace_back(figure(group.proportional_mib));
      row.emplace_back(whole(group.threads));
      table.rows.push_back(std::move(row));
    }
  }
  table.notes.emplace_back(
      "Launchers (npx, uv, a shell) only start the server, but they stay, so their memory is part "
      "of the sums above and listed apart here. Equal processes share a row, which holds their "
      "sum.");
  return table;
}

Table cpu_table(const record::Record& record) {
  Table table;
  table.title = "Processor time (s)";
  table.columns = {{"Scenario", Content::text},
                   {"Build"},
                   {"Ramp"},
                   {"Serve"},
                   {"Total"},
                   {"User"},
                   {"System"},
                   {"ms/completed call"},
                   {"ms/served call"}};
  for (const record::Scenario& scenario : record.scenarios) {
    if (scenario.repeats.empty()) continue;
    table.rows.push_back(
        {scenario_label(scenario), seconds_cell(scenario, &record::Cpu::build_seconds),
         seconds_cell(scenario, &record::Cpu::ramp_seconds),
         seconds_cell(scenario, &record::Cpu::serve_seconds),
         seconds_cell(scenario, &record::Cpu::total_seconds),
         seconds_cell(scenario, &record::Cpu::user_seconds),
         seconds_cell(scenario, &record::Cpu::system_seconds),
         figure_cell(median_of(
             scenario, [](const record::Repeat& repeat) { return repeat.cpu.per_call_ms; })),
         figure_cell(median_of(scenario, [](const record::Repeat& repeat) {
           return repeat.cpu.per_served_call_ms;
         }))});
  }
  table.notes.emplace_back(
      "Build: from the start of the process until its first listing was answered. Ramp: until all "
      "clients were attached. Serve: the load. A call that came back, served or not, is "
      "completed.");
  return table;
}

Table resources_table(const record::Record& record) {
  Table table;
  table.title = "Also read";
  table.columns = {{"Scenario", Content::text},
                   {"Processes"},
                   {"Threads, peak"},
                   {"Sockets", Content::text},
                   {"Minor faults"},
                   {"Major faults"},
                   {"Read"},
                   {"Written"},
                   {"Switches, voluntary"},
                   {"Switches, forced"},
                   {"Children"},
                   {"Orphans"}};
  for (const record::Scenario& scenario : record.scenarios) {
    if (scenario.repeats.empty()) continue;
    using record::Resources;
    table.rows.push_back({scenario_label(scenario), resource_cell(scenario, &Resources::processes),
                          resource_cell(scenario, &Resources::threads_peak),
                          by_name(scenario.repeats.front().resources.sockets),
                          resource_cell(scenario, &Resources::minor_faults),
                          resource_cell(scenario, &Resources::major_faults),
                          bytes_cell(scenario, &Resources::read_bytes),
                          bytes_cell(scenario, &Resources::written_bytes),
                          resource_cell(scenario, &Resources::voluntary_switches),
                          resource_cell(scenario, &Resources::involuntary_switches),
                          resource_cell(scenario, &Resources::children_started),
                          resource_cell(scenario, &Resources::orphaned)});
  }
  table.notes.emplace_back(
      "Processes and sockets with all clients attached (sockets: first repeat); the other counts "
      "are of a whole repeat.");
  return table;
}

Table driver_table(const record::Record& record) {
  Table table;
  table.title = "What measuring took";
  table.columns = {{"Scenario", Content::text},
                   {"CPU (s)"},
                   {"Busy"},
                   {"Sampler CPU (s)"},
                   {"Stand-in CPU (s)"},
                   {"Peak (MiB)"},
                   {"Lateness p50 (ms)"},
                   {"p99"},
                   {"Max"},
                   {"Connections"},
                   {"Resets retried"},
                   {"Notifications"},
                   {"Requests answered"},
                   {"Host lost"},
                   {"Worst gap (ms)"}};
  const auto count = [](std::uint64_t record::Driver::* member) {
    return [member](const record::Repeat& repeat) -> std::optional<double> {
      return static_cast<double>(repeat.driver.*member);
    };
  };
  // No process has ever used nothing: a zero here was not measured.
  const auto amount = [](double record::Driver::* member) {
    return [member](const record::Repeat& repeat) -> std::optional<double> {
      const double value = repeat.driver.*member;
      return value > 0 ? std::optional(value) : std::nullopt;
    };
  };
  for (const record::Scenario& scenario : record.scenarios) {
    if (scenario.repeats.empty()) continue;
    using record::Driver;
    const auto busy = most_of(scenario, amount(&Driver::busy_share));
    const auto lateness = worst_lateness(scenario);
    const auto lost = most_of(scenario, [](const record::Repeat& repeat) {
      return weather_of(repeat, &record::WeatherReading::lost_share);
    });
    const auto gap = most_of(scenario, [](const record::Repeat& repeat) {
      return weather_of(repeat, &record::WeatherReading::worst_gap_ms);
    });
    table.rows.push_back({scenario_label(scenario),
                          figure(most_of(scenario, amount(&Driver::cpu_seconds))),
                          busy ? percentage(*busy) : std::string(kAbsent),
                          figure(most_of(scenario, amount(&Driver::sampler_cpu_seconds))),
                          figure(most_of(scenario, amount(&Driver::standin_cpu_seconds))),
                          figure(most_of(scenario, amount(&Driver::peak_mib))),
                          lateness ? figure(lateness->p50_ms) : std::string(kAbsent),
                          lateness ? figure(lateness->p99_ms) : std::string(kAbsent),
                          lateness ? figure(lateness->max_ms) : std::string(kAbsent),
                          count_text(most_of(scenario, count(&Driver::connections_opened))),
                          count_text(most_of(scenario, count(&Driver::connection_resets_retried))),
                          count_text(most_of(scenario, count(&Driver::notifications))),
                          count_text(most_of(scenario, count(&Driver::server_requests_answered))),
                          lost ? percentage(*lost) : std::string(kAbsent), figure(gap)});
  }
  table.notes.emplace_back(
      "The driver's load phase, the worst repeat of each column. Busy is its share of the cores "
      "given to it. Lateness is how long after it was due a call was sent, of the method that "
      "suffered most. Host lost is the share of a probe's time, just before or after the load, "
      "that "
      "something else on the machine took; a host is quiet under 2 % and without gaps over 20 ms.");
  return table;
}

Table standins_table(const record::Record& record) {
  Table table;
  table.title = "What the stand-ins saw";
  table.columns = {{"Scenario", Content::text},
                   {"Upstream requests"},
                   {"At once, at most"},
                   {"Telemetry requests", Content::text},
                   {"Telemetry bytes", Content::text}};
  for (const record::Scenario& scenario : record.scenarios) {
    for (const record::Repeat& repeat : scenario.repeats) {
      const record::Standins& seen = repeat.standins;
      if (!seen.upstream_requests && seen.otlp_requests.empty()) continue;
      table.rows.push_back({scenario_label(scenario), whole(seen.upstream_requests),
                            whole(seen.upstream_peak_in_flight), by_name(seen.otlp_requests),
                            by_name(seen.otlp_bytes)});
      break;
    }
  }
  table.notes.emplace_back("Load phase of the first repeat.");
  return table;
}

}  // namespace weighbridge::report
