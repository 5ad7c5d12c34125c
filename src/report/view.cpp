#include "report/view.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/appendix_tables.h"
#include "report/detail/facts.h"
#include "report/tables.h"
#include "report/wording.h"

namespace weighbridge::report {
namespace {

using detail::add_fact;
using detail::as_duration;

std::vector<DoubtGroup> doubts_of(const record::Record& record) {
  std::vector<DoubtGroup> groups;
  for (const record::Doubt& doubt : record.doubts) detail::add_doubt(groups, doubt);
  for (const record::Scenario& scenario : record.scenarios) {
    for (const record::Repeat& repeat : scenario.repeats)
      for (const record::Doubt& doubt : repeat.doubts) detail::add_doubt(groups, doubt);
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

std::vector<Command> commands_of(const record::Record& record) {
  std::vector<Command> commands;
  for (const record::Server& server : record.servers) {
    if (server.command.empty()) continue;
    std::string label = server.transport;
    if (server.variant != "default") label += ", " + server.variant;
    commands.push_back({std::move(label), detail::shell_words(server.command)});
  }
  return commands;
}

}  // namespace

View view_of(const record::Record& record) {
  View view;
  view.title = subject_of(record);
  view.weighed = weighed_sentence(record);
  view.measured = measured_sentence(record);
  view.accuracy = accuracy_sentence(record.accuracy);
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
  view.host = detail::host_facts(record.host);
  view.build = detail::build_facts(record.build);
  view.not_measured = not_measured(record);
  view.commands = commands_of(record);
  view.plan_toml = record.plan_toml;
  view.loop_note = closed_loop_note();
  return view;
}

}  // namespace weighbridge::report
