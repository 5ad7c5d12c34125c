#include "report/view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "report/appendix_tables.h"
#include "report/tables.h"
#include "report/wording.h"

namespace weighbridge::report {
namespace {

void add_doubt(std::vector<DoubtGroup>& groups, const record::Doubt& doubt) {
  const std::string kind(record::to_string(doubt.kind));
  auto group = std::ranges::find_if(groups, [&](const DoubtGroup& candidate) {
    return candidate.kind == kind && candidate.advice == doubt.advice;
  });
  if (group == groups.end()) {
    const DoubtWording wording = wording_of(doubt.kind);
    groups.push_back(
        {kind, std::string(wording.title), std::string(wording.lost), doubt.advice, {}});
    group = groups.end() - 1;
  }
  group->places.push_back({doubt.where, doubt.message});
}

std::vector<DoubtGroup> doubts_of(const record::Record& record) {
  std::vector<DoubtGroup> groups;
  for (const record::Doubt& doubt : record.doubts) add_doubt(groups, doubt);
  for (const record::Scenario& scenario : record.scenarios) {
    for (const record::Repeat& repeat : scenario.repeats)
      for (const record::Doubt& doubt : repeat.doubts) add_doubt(groups, doubt);
  }
  return groups;
}

std::string outcomes_of(const record::Record& record) {
  std::uint64_t sent = 0;
  std::uint64_t served = 0;
  std::uint64_t refused = 0;
  std::uint64_t failed = 0;
  std::uint64_t hung = 0;
  for (const record::Scenario& scenario : record.scenarios) {
    for (const record::MethodSummary& method : scenario.summary.methods) {
      sent += method.sent;
      served += method.served;
      refused += method.refused;
      failed += method.failed;
      hung += method.hung;
    }
  }
  if (sent == 0) return "No call was sent under load.";
  if (served == sent) return fmt::format("All {} of the load were served.", counted(sent, "call"));
  return fmt::format("Of {} of the load, {} were served, {} refused, {} failed and {} hung.",
                     counted(sent, "call"), served, refused, failed, hung);
}

std::vector<FirstText> first_texts_of(const record::Record& record) {
  std::vector<FirstText> texts;
  for (const record::Scenario& scenario : record.scenarios) {
    const std::string label = scenario_label(scenario);
    for (const record::MethodSummary& method : scenario.summary.methods) {
      if (method.refused > 0)
        texts.push_back({label, method.method, "refused", method.refused, method.first_refusal});
      if (method.failed > 0)
        texts.push_back({label, method.method, "failed", method.failed, method.first_failure});
      if (method.hung > 0) texts.push_back({label, method.method, "hung", method.hung, {}});
    }
  }
  return texts;
}

/// Facts that are unknown are left out: an empty line says less than none.
void add_fact(std::vector<Fact>& facts, std::string name, std::string value) {
  if (!value.empty()) facts.push_back({std::move(name), std::move(value)});
}

std::string as_duration(double seconds) {
  return format_duration(from_seconds(seconds));
}

std::vector<Fact> settings_of(const record::Settings& settings) {
  std::vector<Fact> facts;
  const auto clients = [](int count) { return count > 0 ? fmt::format("{}", count) : ""; };
  add_fact(facts, "Clients on stdio", clients(settings.stdio_clients));
  add_fact(facts, "Clients over HTTP", clients(settings.http_clients));
  add_fact(facts, "Rounds per method", fmt::format("{}", settings.rounds));
  add_fact(facts, "Repeats, interleaved", fmt::format("{}", settings.repeat));
  add_fact(facts, "Sampling interval", as_duration(settings.sample_interval_ms / 1000));
  add_fact(facts, "Deadline of a call", as_duration(settings.call_timeout_seconds));
  add_fact(facts, "Deadline of a first listing", as_duration(settings.first_list_timeout_seconds));
  add_fact(facts, "Deadline of readiness", as_duration(settings.ready_timeout_seconds));
  if (settings.quick) add_fact(facts, "Quick", "yes");
  add_fact(facts, "Only scenarios like", settings.only);
  add_fact(facts, "Cores of the driver",
           settings.driver_cpus.empty() ? "any"
                                        : fmt::format("{}", fmt::join(settings.driver_cpus, ", ")));
  add_fact(facts, "Variables inherited (names)",
           fmt::format("{}", fmt::join(settings.inherited_env, ", ")));
  add_fact(facts, "Variables withheld (names)",
           fmt::format("{}", fmt::join(settings.stripped_env, ", ")));
  return facts;
}

std::vector<Fact> host_of(const record::Host& host) {
  std::vector<Fact> facts;
  add_fact(facts, "CPU", host.cpu_model);
  add_fact(facts, "Clock", host.cpu_mhz ? figure(*host.cpu_mhz) + " MHz" : "");
  add_fact(facts, "Governor", host.governor);
  add_fact(facts, "Logical CPUs",
           host.logical_cpus > 0 ? fmt::format("{}", host.logical_cpus) : "");
  add_fact(facts, "Memory", host.memory_gib > 0 ? figure(host.memory_gib) + " GiB" : "");
  add_fact(facts, "Disk", host.disk_kind);
  add_fact(facts, "File system", host.file_system);
  add_fact(facts, "Kernel", host.kernel);
  add_fact(facts, "Distribution", host.distribution);
  add_fact(facts, "Architecture", host.architecture);
  add_fact(facts, "Load average at the start, 1 min",
           host.load_average_1m ? figure(*host.load_average_1m) : "");
  return facts;
}

std::vector<Fact> build_of(const record::Build& build) {
  std::vector<Fact> facts;
  add_fact(facts, "Weighbridge", build.version);
  add_fact(facts, "Commit", build.commit);
  add_fact(facts, "Compiler", build.compiler);
  add_fact(facts, "Build type", build.build_type);
  return facts;
}

std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,{}";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::vector<Command> commands_of(const record::Record& record) {
  std::vector<Command> commands;
  for (const record::Server& server : record.servers) {
    if (server.command.empty()) continue;
    std::vector<std::string> words;
    for (const std::string& word : server.command) words.push_back(shell_quoted(word));
    std::string label = server.transport;
    if (server.variant != "default") label += ", " + server.variant;
    commands.push_back({std::move(label), fmt::format("{}", fmt::join(words, " "))});
  }
  return commands;
}

}  // namespace

View view_of(const record::Record& record) {
  View view;
  view.title = subject_of(record);
  view.weighed = weighed_sentence(record);
  view.measured = measured_sentence(record);
  view.warning = warning_of(record);
  view.memory = memory_table(record);
  view.waits = waits_table(record);
  view.latency = latency_table(record);
  view.doubts = doubts_of(record);
  view.outcomes = outcomes_of(record);
  view.first_texts = first_texts_of(record);
  view.servers = servers_table(record);
  view.processes = processes_table(record);
  view.cpu = cpu_table(record);
  view.resources = resources_table(record);
  view.driver = driver_table(record);
  view.standins = standins_table(record);
  view.settings = settings_of(record.settings);
  view.host = host_of(record.host);
  view.build = build_of(record.build);
  view.not_measured = not_measured(record);
  view.commands = commands_of(record);
  view.plan_toml = record.plan_toml;
  return view;
}

}  // namespace weighbridge::report
