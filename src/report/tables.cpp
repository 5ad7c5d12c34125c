#include "report/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "report/detail/repeats.h"
#include "report/wording.h"

namespace weighbridge::report {
namespace {

using Estimate = std::optional<stats::Estimate>;

const record::Server* server_of(const record::Record& record, const record::Scenario& scenario) {
  const auto found = std::ranges::find_if(record.servers, [&](const record::Server& server) {
    // Which kind of HTTP a server speaks ("http+sse") is known of the server, not of the scenario.
    return server.transport.starts_with(scenario.transport) && server.variant == scenario.variant;
  });
  return found == record.servers.end() ? nullptr : &*found;
}

/// A single repeat has no spread over repeats, but its slope still has the fit's own interval.
Cell slope_cell(const record::Scenario& scenario) {
  const Estimate& estimate = scenario.summary.per_extra_client_mib;
  if (!estimate || estimate->interval || scenario.repeats.size() != 1) return figure_cell(estimate);
  const auto& slope = scenario.repeats.front().memory.per_extra_client_mib;
  if (!slope) return figure_cell(estimate);
  return figure_cell(
      estimate->value,
      stats::Interval{.low = slope->low, .high = slope->high, .confidence = slope->confidence});
}

/// "3 repeats"; "1 to 3 repeats" where a run ended early.
std::string repeats_made(const record::Record& record) {
  std::size_t fewest = SIZE_MAX;
  std::size_t most = 0;
  for (const record::Scenario& scenario : record.scenarios) {
    if (scenario.repeats.empty()) continue;
    fewest = std::min(fewest, scenario.repeats.size());
    most = std::max(most, scenario.repeats.size());
  }
  const std::string made = counted(most, "repeat");
  return fewest < most ? fmt::format("{} to {}", fewest, made) : made;
}

/// The least confidence among the intervals given, as the notes word it.
std::string repeats_note(const record::Record& record,
                         const std::vector<Estimate record::Summary::*>& members) {
  std::optional<double> least;
  for (const record::Scenario& scenario : record.scenarios) {
    for (const auto member : members) {
      const Estimate& estimate = scenario.summary.*member;
      if (!estimate || !estimate->interval) continue;
      least = std::min(least.value_or(1), estimate->interval->confidence);
    }
  }
  if (!least) return "Single readings: without repeats there is no interval.";
  return fmt::format(
      "Figures are medians of {}. [low, high] holds the median with {:.0f} % confidence; a figure "
      "without it has an interval that rounds to the figure itself.",
      repeats_made(record), *least * 100);
}

bool any_summary(const record::Record& record, Estimate record::Summary::* member) {
  return std::ranges::any_of(record.scenarios, [&](const record::Scenario& scenario) {
    return (scenario.summary.*member).has_value();
  });
}

/// The target's CPU while this method ran, per completed call.
Estimate method_cpu(const record::Scenario& scenario, const record::MethodSummary& summary) {
  return detail::median_of(scenario, [&](const record::Repeat& repeat) -> std::optional<double> {
    const auto method = std::ranges::find_if(repeat.methods, [&](const record::Method& candidate) {
      return candidate.method == summary.method && candidate.detail == summary.detail;
    });
    return method == repeat.methods.end() ? std::nullopt : method->cpu_per_call_ms;
  });
}

std::uint64_t total(const record::Record& record, std::uint64_t record::MethodSummary::* member) {
  std::uint64_t sum = 0;
  for (const record::Scenario& scenario : record.scenarios) {
    for (const record::MethodSummary& method : scenario.summary.methods) sum += method.*member;
  }
  return sum;
}

}  // namespace

Table memory_table(const record::Record& record) {
  using record::Summary;
  const bool proportional = any_summary(record, &Summary::all_clients_proportional_mib);
  Table table;
  table.title = "Memory (MiB), threads and processor time";
  table.columns = {{"Scenario", Content::text},
                   {"Clients"},
                   {"Idle", Content::number, 1},
                   {"One client"},
                   {"All clients"}};
  if (proportional) table.columns.push_back({"Proportional", Content::number, 5});
  const std::vector<Column> rest = {{"Per extra client", Content::number, 0, true},
                                    {"Peak"},
                                    {"After load", Content::number, 3},
                                    {"Threads", Content::number, 4},
                                    {"Descriptors", Content::number, 6},
                                    {"CPU % of one core", Content::number, 2},
                                    {"CPU ms per call"}};
  table.columns.insert(table.columns.end(), rest.begin(), rest.end());
  for (const record::Scenario& scenario : record.scenarios) {
    const Summary& summary = scenario.summary;
    Row row{scenario_label(scenario), fmt::format("{}", scenario.clients),
            figure_cell(summary.idle_mib), figure_cell(summary.one_client_mib),
            figure_cell(summary.all_clients_mib)};
    if (proportional) row.push_back(figure_cell(summary.all_clients_proportional_mib));
    row.push_back(slope_cell(scenario));
    row.push_back(figure_cell(summary.peak_mib));
    row.push_back(figure_cell(summary.after_load_mib));
    row.push_back(count_cell(summary.threads));
    row.push_back(count_cell(summary.descriptors));
    row.push_back(figure_cell(summary.serve_percent));
    row.push_back(figure_cell(summary.cpu_per_call_ms));
    table.rows.push_back(std::move(row));
  }
  table.notes.emplace_back(
      "Resident set, summed over every process of the server's tree, launchers included. On stdio "
      "every client has a process of its own, and there is no idle server.");
  if (proportional)
    table.notes.emplace_back(
        "Proportional, with all clients: pages shared between processes are divided among them "
        "instead of counted by each.");
  table.notes.emplace_back(
      "Per extra client is the least-squares slope over the clients admitted one by one: what a "
      "client costs to hold. The peak is that of the load: what it costs to serve them all at "
      "once. "
      "CPU is of the load too, and per completed call.");
  table.notes.push_back(repeats_note(
      record, {&Summary::idle_mib, &Summary::one_client_mib, &Summary::all_clients_mib,
               &Summary::peak_mib, &Summary::after_load_mib, &Summary::serve_percent}));
  return table;
}

Table waits_table(const record::Record& record) {
  using record::Summary;
  const auto open_ms = [](const record::Repeat& repeat) { return repeat.startup.open_ms; };
  const bool opened = std::ranges::any_of(record.scenarios, [&](const record::Scenario& scenario) {
    return detail::most_of(scenario, open_ms).has_value();
  });
  Table table;
  table.title = "What a client waits for (ms)";
  table.columns = {{"Scenario", Content::text}, {"Process ready", Content::number, 1}};
  if (opened) table.columns.push_back({"Connect and handshake", Content::number, 4});
  const std::vector<Column> rest = {{"First tools/list"},
                                    {"Warm tools/list, p50"},
                                    {"Listing"},
                                    {"Pages", Content::number, 3},
                                    {"Tools", Content::number, 2}};
  table.columns.insert(table.columns.end(), rest.begin(), rest.end());
  for (const record::Scenario& scenario : record.scenarios) {
    const Summary& summary = scenario.summary;
    Row row{scenario_label(scenario), figure_cell(summary.process_ready_ms)};
    if (opened) row.push_back(figure_cell(detail::median_of(scenario, open_ms)));
    row.push_back(figure_cell(summary.first_list_ms));
    row.push_back(figure_cell(summary.warm_list_ms));
    if (const record::Server* server = server_of(record, scenario); server && server->list_pages) {
      row.emplace_back(format_size_decimal(static_cast<double>(server->list_bytes)));
      row.emplace_back(whole(server->list_pages));
      row.emplace_back(whole(server->tools));
    } else {
      row.insert(row.end(), 3, Cell());
    }
    table.rows.push_back(std::move(row));
  }
  table.notes.emplace_back(
      "Process ready: over HTTP from the start of the process to its first good answer; on stdio, "
      "where the first request is written at once, to the program's start. First tools/list: over "
      "HTTP from asking a ready server to its answer, on stdio from the start of the process.");
  table.notes.emplace_back(
      "Warm tools/list is read under load, with all clients calling; client caches are bypassed on "
      "purpose. " +
      std::string(closed_loop_note()));
  table.notes.push_back(repeats_note(
      record, {&Summary::process_ready_ms, &Summary::first_list_ms, &Summary::warm_list_ms}));
  return table;
}

Table latency_table(const record::Record& record) {
  using record::MethodSummary;
  struct Count {
    std::string title;
    std::uint64_t MethodSummary::* member;
  };
  std::vector<Count> others;
  for (const Count& count :
       {Count{"Refused", &MethodSummary::refused}, Count{"Failed", &MethodSummary::failed},
        Count{"Hung", &MethodSummary::hung}}) {
    if (total(record, count.member) > 0) others.push_back(count);
  }
  Table table;
  table.title = "Latency per method (ms)";
  table.columns = {{"Scenario", Content::text},
                   {"Method", Content::text},
                   {"Call", Content::text, 2},
                   {"Served", Content::number, 3}};
  for (const Count& count : others) table.columns.push_back({count.title, Content::number, 1});
  const std::vector<Column> figures = {{"p50", Content::number, 0, true},
                                       {"p90", Content::number, 2},
                                       {"p99"},
                                       {"Max"},
                                       {"CPU ms per call", Content::number, 4}};
  table.columns.insert(table.columns.end(), figures.begin(), figures.end());
  for (const record::Scenario& scenario : record.scenarios) {
    for (const MethodSummary& method : scenario.summary.methods) {
      Row row{scenario_label(scenario), method.method,
              method.detail.empty() ? Cell() : Cell(method.detail), whole(method.served)};
      for (const Count& count : others) row.push_back(whole(method.*count.member));
      if (const auto& latency = method.latency) {
        row.push_back(figure_cell(latency->p50_ms, method.p50_interval_ms));
        row.push_back(figure_cell(latency->p90_ms, method.p90_interval_ms));
        row.push_back(figure_cell(latency->p99_ms, method.p99_interval_ms));
        row.push_back(figure(latency->max_ms));
      } else {
        row.insert(row.end(), figures.size() - 1, Cell());
      }
      row.push_back(figure_cell(method_cpu(scenario, method)));
      table.rows.push_back(std::move(row));
    }
  }
  table.notes.emplace_back(closed_loop_note());
  table.notes.emplace_back(
      "Of served calls only, pooled over rounds and repeats. Percentiles are values that were "
      "observed (nearest rank), with [low, high] from order statistics at 95 % or more; p99 is "
      "left "
      "out under 100 samples. CPU is the server's while the method ran, per completed call.");
  return table;
}

}  // namespace weighbridge::report
