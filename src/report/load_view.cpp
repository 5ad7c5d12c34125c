#include "report/load_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/units.h"
#include "report/detail/facts.h"
#include "report/wording.h"

namespace weighbridge::report {
namespace {

using detail::add_fact;
using record::LoadRecord;
using record::LoadStep;

bool open_loop(const LoadRecord& record) {
  return record.settings.arrivals != "closed";
}

bool any(const LoadRecord& record, std::uint64_t LoadStep::* count) {
  return std::ranges::any_of(record.steps,
                             [count](const LoadStep& step) { return step.*count > 0; });
}

/// Counts of what nobody met are not worth a column.
struct Count {
  std::string title;
  std::uint64_t LoadStep::* member;
};
std::vector<Count> counts_met(const LoadRecord& record) {
  std::vector<Count> met;
  for (const Count& count :
       {Count{"Refused", &LoadStep::refused}, Count{"Failed", &LoadStep::failed},
        Count{"Hung", &LoadStep::hung}, Count{"Missed", &LoadStep::missed}})
    if (any(record, count.member)) met.push_back(count);
  return met;
}

Table steps_table(const LoadRecord& record) {
  Table table;
  table.title = "Rate (calls a second) and latency (ms)";
  const bool open = open_loop(record);
  const std::vector<Count> others = counts_met(record);
  table.columns = {{"Step", Content::text}};
  if (open) table.columns.push_back({"Offered"});
  table.columns.push_back({"Rate", Content::number, 0, true});
  table.columns.push_back({"Served", Content::number, 3});
  for (const Count& count : others) table.columns.push_back({count.title, Content::number, 1});
  for (Column column : {Column{"p50", Content::number, 0, true}, Column{"p90", Content::number, 2},
                        Column{"p99"}, Column{"p99.9", Content::number, 4}, Column{"Max"}})
    table.columns.push_back(std::move(column));
  if (record.verdict) table.columns.push_back({"Held", Content::text});
  for (const LoadStep& step : record.steps) {
    Row row{Cell(step.name)};
    if (open) row.emplace_back(figure(step.offered_rate));
    row.push_back(figure_cell(step.rate, step.rate_interval));
    row.emplace_back(whole(step.served));
    for (const Count& count : others) row.emplace_back(whole(step.*count.member));
    if (const auto& latency = step.latency) {
      row.push_back(figure_cell(latency->p50_ms, step.p50_interval_ms));
      row.emplace_back(figure(latency->p90_ms));
      row.push_back(figure_cell(latency->p99_ms, step.p99_interval_ms));
      row.emplace_back(figure(latency->p999_ms));
      row.emplace_back(figure(latency->max_ms));
    } else {
      row.insert(row.end(), 5, Cell());
    }
    if (record.verdict) row.emplace_back(step.held ? (*step.held ? "yes" : "no") : "—");
    table.rows.push_back(std::move(row));
  }
  table.notes.emplace_back(
      "Of served calls only, from the instant each was due. Percentiles are values that were "
      "observed (nearest rank), with [low, high] from order statistics; p99 is left out under 100 "
      "calls, p99.9 under 1000. The rate counts what was served within the planned time.");
  return table;
}

Table operations_table(const LoadRecord& record) {
  Table table;
  if (record.settings.operations.size() < 2) return table;
  table.title = "By operation (ms)";
  table.columns = {{"Step", Content::text},
                   {"Method", Content::text},
                   {"Tool", Content::code},
                   {"Served"},
                   {"p50"},
                   {"p99"},
                   {"Max"},
                   {"Reply", Content::number, 2}};
  for (const LoadStep& step : record.steps) {
    for (const record::LoadOperationResult& operation : step.operations) {
      const auto& latency = operation.latency;
      table.rows.push_back(
          {Cell(step.name), Cell(operation.method),
           operation.name.empty() ? Cell() : Cell(operation.name), Cell(whole(operation.served)),
           latency ? Cell(figure(latency->p50_ms)) : Cell(),
           latency ? Cell(figure(latency->p99_ms)) : Cell(),
           latency ? Cell(figure(latency->max_ms)) : Cell(),
           operation.reply_bytes ? Cell(format_size_decimal(*operation.reply_bytes)) : Cell()});
    }
  }
  return table;
}

Table target_table(const LoadRecord& record) {
  Table table;
  table.title = "What it cost the server";
  table.columns = {{"Step", Content::text},
                   {"CPU ms per call"},
                   {"CPU % of one core"},
                   {"Resident MiB"},
                   {"Peak MiB"}};
  for (const LoadStep& step : record.steps) {
    if (!step.target) continue;
    table.rows.push_back({Cell(step.name), Cell(figure(step.target->cpu_per_call_ms)),
                          Cell(figure(step.target->cpu_percent)),
                          Cell(figure(step.target->resident_mib)),
                          Cell(figure(step.target->peak_mib))});
  }
  return table;
}

Table driver_table(const LoadRecord& record) {
  Table table;
  table.title = "What the driver did";
  table.columns = {{"Step", Content::text}, {"CPU µs per call"},  {"Busy % of a core"},
                   {"Spinning s"},          {"Lateness p50, ms"}, {"Lateness p99, ms"},
                   {"Waited for a slot"},   {"Little's law"}};
  for (const LoadStep& step : record.steps) {
    const auto& lateness = step.lateness;
    table.rows.push_back(
        {Cell(step.name), Cell(figure(step.driver.cpu_per_call_us)),
         Cell(figure(step.driver.busy_share * 100)),
         step.driver.spin_seconds > 0 ? Cell(figure(step.driver.spin_seconds)) : Cell(),
         lateness ? Cell(figure(lateness->p50_ms)) : Cell(),
         lateness ? Cell(figure(lateness->p99_ms)) : Cell(),
         step.slot_wait ? Cell(whole(step.slot_wait->count)) : Cell("0"),
         Cell(figure(step.driver.littles_law))});
  }
  table.notes.emplace_back(
      "Processor time without what was spent asking for due instants to come, which stands apart. "
      "Lateness is from due to send, of calls that had a free slot. Little's law: service times "
      "added up over calls in flight through time, which is 1 when the driver counts right.");
  return table;
}

std::string outcomes_of(const LoadRecord& record) {
  std::uint64_t sent = 0;
  std::uint64_t served = 0;
  for (const LoadStep& step : record.steps) {
    sent += step.sent;
    served += step.served;
  }
  if (sent == 0) return "No call was sent.";
  if (sent == served) return fmt::format("All {} were served.", counted(sent, "call"));
  return fmt::format("Of {}, {} were served.", counted(sent, "call"), served);
}

std::vector<FirstText> first_texts_of(const LoadRecord& record) {
  std::vector<FirstText> texts;
  for (const LoadStep& step : record.steps)
    for (const record::LoadTrouble& trouble : step.troubles)
      texts.push_back(
          {step.name, trouble.operation, trouble.outcome, trouble.count, trouble.first_text});
  return texts;
}

std::vector<Fact> settings_of(const record::LoadSettings& settings) {
  std::vector<Fact> facts;
  for (const record::LoadOperation& operation : settings.operations) {
    std::string words =
        operation.name.empty() ? operation.method : operation.method + " " + operation.name;
    if (settings.operations.size() > 1)
      words += fmt::format(", weight {}", figure(operation.weight));
    if (operation.variants > 1) words += fmt::format(", {} sets of arguments", operation.variants);
    if (!operation.expects.empty()) words += ", expected: " + operation.expects;
    add_fact(facts, "Operation", words);
  }
  add_fact(facts, "Credentials", fmt::format("{}", settings.credentials));
  add_fact(facts, "In flight for each, at most", fmt::format("{}", settings.parallel));
  add_fact(facts, "Arrivals", settings.arrivals);
  if (settings.per_credential) add_fact(facts, "Rates are of", "one credential");
  if (settings.think_ms > 0)
    add_fact(facts, "Think time", detail::as_duration(settings.think_ms / 1000));
  add_fact(facts, "Deadline of a call", detail::as_duration(settings.call_timeout_seconds));
  add_fact(facts, "Replies parsed whole",
           settings.check_every == 1
               ? "all"
               : fmt::format("the first of every operation, one in {}; above 64 KiB one in {}",
                             settings.check_every, settings.check_every_long));
  add_fact(facts, "Seed", fmt::format("{}", settings.seed));
  add_fact(facts, "Threads of the driver", fmt::format("{}", settings.threads));
  add_fact(facts, "Cores of the driver",
           settings.driver_cpus.empty() ? "any" : settings.driver_cpus);
  add_fact(facts, "Cores of the server",
           settings.target_cpus.empty() ? "any" : settings.target_cpus);
  add_fact(facts, "Variables inherited (names)",
           fmt::format("{}", fmt::join(settings.inherited_env, ", ")));
  add_fact(facts, "Variables withheld (names)",
           fmt::format("{}", fmt::join(settings.stripped_env, ", ")));
  return facts;
}

std::string verdict_of(const LoadRecord& record) {
  const record::LoadVerdict& verdict = *record.verdict;
  const auto rate = [](double value) { return figure(value) + " calls a second"; };
  if (!verdict.held_rate)
    return fmt::format("No rate held: {} came true, or the server did not keep up, already at {}.",
                       verdict.condition, verdict.broke_rate ? rate(*verdict.broke_rate) : "once");
  if (!verdict.broke_rate)
    return fmt::format("Every rate held, up to {}: {} never came true.", rate(*verdict.held_rate),
                       verdict.condition);
  return fmt::format(
      "The highest rate that held is {}; at {} {} came true or the server no longer "
      "kept up.",
      rate(*verdict.held_rate), rate(*verdict.broke_rate), verdict.condition);
}

std::vector<std::string> not_measured(const LoadRecord& record) {
  std::vector<std::string> sentences;
  if (!open_loop(record))
    sentences.emplace_back(
        "Waiting in line. Callers waited for each answer before they asked again; a server that "
        "stalls stops them too. With --rate calls are due whatever the answers.");
  sentences.emplace_back(
      "A network. Over the loopback interface, or a pipe, there is none; add your own round trip.");
  sentences.emplace_back(
      "Every byte. Replies were told by their two ends and a search for errors; those parsed whole "
      "are counted in the record.");
  return sentences;
}

}  // namespace

View view_of(const LoadRecord& record) {
  View view;
  view.title = record.name;
  view.weighed = record.name + ".";
  if (const auto& server = record.server) {
    view.title = server->version.empty() ? server->name
                                         : fmt::format("{} {}", server->name, server->version);
    view.weighed = fmt::format("{}, speaking MCP {}, over {}.", view.title, server->revision,
                               transport_word(server->transport));
    if (!server->command.empty())
      view.commands.push_back({server->transport, detail::shell_words(server->command)});
  }
  if (record.verdict) view.weighed += " " + verdict_of(record);
  view.measured = fmt::format("Measured on {}, with {}, {}.", machine_words(record.host),
                              build_words(record.build), record.generated_at);
  view.accuracy = accuracy_sentence(record.accuracy);
  view.warning = early_end_words(record.status, record.broke_off_because);
  view.memory = steps_table(record);
  view.latency = operations_table(record);
  view.waits = target_table(record);
  for (const record::Doubt& doubt : record.doubts) detail::add_doubt(view.doubts, doubt);
  for (const LoadStep& step : record.steps)
    for (const record::Doubt& doubt : step.doubts) detail::add_doubt(view.doubts, doubt);
  view.outcomes = outcomes_of(record);
  view.first_texts = first_texts_of(record);
  view.driver = driver_table(record);
  view.settings = settings_of(record.settings);
  view.host = detail::host_facts(record.host);
  view.build = detail::build_facts(record.build);
  view.not_measured = not_measured(record);
  view.loop_note = open_loop(record)
                       ? "Open loop: calls were due on their own schedule, whatever the answers; a "
                         "call that had to wait is as late as its caller found it."
                       : std::string(closed_loop_note());
  return view;
}

}  // namespace weighbridge::report
