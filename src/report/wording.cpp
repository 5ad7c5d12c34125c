#include "report/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/numbers.h"

namespace weighbridge::report {
namespace {

void append_once(std::vector<std::string>& words, std::string word) {
  if (!word.empty() && std::ranges::find(words, word) == words.end())
    words.push_back(std::move(word));
}

std::vector<std::string> transports_of(const record::Record& record) {
  std::vector<std::string> words;
  for (const record::Server& server : record.servers)
    append_once(words, transport_word(server.transport));
  if (words.empty()) {
    for (const record::Scenario& scenario : record.scenarios)
      append_once(words, transport_word(scenario.transport));
  }
  return words;
}

bool has_transport(const record::Record& record, std::string_view transport) {
  return std::ranges::any_of(record.scenarios, [&](const record::Scenario& scenario) {
    return scenario.transport == transport;
  });
}

bool had_upstream(const record::Record& record) {
  for (const record::Scenario& scenario : record.scenarios) {
    for (const record::Repeat& repeat : scenario.repeats)
      if (repeat.standins.upstream_requests) return true;
  }
  return false;
}

/// An error is known to two digits at best: 0.64, 1.1, 90, 140.
std::string two_digits(double value) {
  if (value >= 100) return fmt::format("{:.0f}", std::round(value / 10) * 10);
  if (value >= 10) return fmt::format("{:.0f}", value);
  return value >= 1 ? fmt::format("{:.1f}", value) : fmt::format("{:.2g}", value);
}

std::string limiter_sentence(const record::Record& record) {
  std::vector<std::string> limited;
  std::uint64_t refused = 0;
  for (const record::Scenario& scenario : record.scenarios) {
    for (const record::MethodSummary& method : scenario.summary.methods) {
      if (method.refused == 0) continue;
      refused += method.refused;
      append_once(limited, scenario_label(scenario));
    }
  }
  if (refused == 0)
    return "A limiter at work. No call was refused, so nothing here says what the server costs "
           "while it turns callers away.";
  return fmt::format(
      "The speed of saying no. A limiter was on in {}: it refused {}, which are counted apart and "
      "enter no latency quoted here.",
      listed(limited), counted(refused, "call"));
}

}  // namespace

std::string build_words(const record::Build& build) {
  std::vector<std::string> details;
  append_once(details, build.commit);
  append_once(details, build.compiler);
  append_once(details, build.build_type);
  return fmt::format("Weighbridge {}{}", build.version,
                     details.empty() ? "" : fmt::format(" ({})", fmt::join(details, ", ")));
}

DoubtWording wording_of(record::DoubtKind kind) {
  using enum record::DoubtKind;
  switch (kind) {
    case driver_limited:
      return {"The driver was the bottleneck",
              "latencies and CPU percentage of that phase describe the driver as much as the "
              "server"};
    case noisy_host:
      return {"The host was busy with other things",
              "latencies and start times are too high by an unknown amount"};
    case unsettled:
      return {"Memory did not settle", "the reading at that moment was taken while it still moved"};
    case missing_source:
      return {"The kernel did not offer a source",
              "figures drawn from it are absent or come from a coarser one"};
    case tool_chosen:
      return {"No tool was named, so one was chosen",
              "tools/call weighs this one tool, which may not be the one that matters"};
    case no_tool:
      return {"There was no tool that is safe to call", "tools/call was not measured"};
    case method_left_out:
      return {"The server does not offer a method", "that method was not measured"};
    case nothing_served:
      return {"No call was served",
              "the method has no latency, and CPU figures price calls that came to nothing"};
    case outcomes_mixed:
      return {"Not every call was served",
              "latencies are those of served calls only, while CPU paid for all of them"};
    case too_few_samples:
      return {"Too few samples", "a percentile or a slope is left out"};
    case cpu_incomplete:
      return {"Processor time is incomplete", "CPU figures are too low or too coarse"};
    case orphans_ended:
      return {"Processes outlived the server", "they were ended; a host would have kept them"};
    case target_died:
      return {"The server ended by itself", "what comes after its end was not measured"};
    case attached:
      return {"The server was running already",
              "its start, its build and what it had done before were not seen"};
    case restarted:
      return {"The server had to be started again",
              "start figures are those of the attempt that held"};
    case connection_resets:
      return {"Connections were reset and their requests sent again",
              "the latencies of those calls include the second attempt"};
    case certificate_unchecked:
      return {"The certificate of the server was not checked",
              "whoever answered may not be the server that was meant"};
    case sampler_costly:
      return {"Looking cost more than it should",
              "CPU of the host, not of the server, includes the sampler"};
    case tool_dropped:
      return {"A tool is annotated in a way that clients must refuse",
              "it was listed and weighed as such, but cannot be called over HTTP"};
    case streams_resumed:
      return {"Event streams ended before their answers",
              "the latencies of those calls include the wait that the server asked for and a "
              "second request"};
  }
  return {"A doubt of an unknown kind", "unknown"};
}

std::string scenario_label(const record::Scenario& scenario) {
  std::string label = scenario.transport;
  if (scenario.variant != "default") label += ", " + scenario.variant;
  if (scenario.telemetry) label += ", telemetry";
  return label;
}

std::string transport_word(std::string_view transport) {
  if (transport == "http+sse") return "HTTP+SSE";
  return transport == "http" ? "HTTP" : std::string(transport);
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

std::string subject_of(const record::Record& record) {
  std::vector<std::string> names;
  for (const record::Server& server : record.servers)
    append_once(names, server.version.empty() ? server.name
                                              : fmt::format("{} {}", server.name, server.version));
  return names.empty() ? record.name : listed(names);
}

std::string weighed_sentence(const record::Record& record) {
  std::vector<std::string> revisions;
  for (const record::Server& server : record.servers) append_once(revisions, server.revision);
  const std::vector<std::string> transports = transports_of(record);
  std::string sentence = subject_of(record);
  if (!revisions.empty()) sentence += ", speaking MCP " + listed(revisions);
  if (!transports.empty()) sentence += ", over " + listed(transports);
  return sentence + ".";
}

std::string machine_words(const record::Host& host) {
  std::vector<std::string> machine;
  append_once(machine, host.cpu_model);
  if (host.logical_cpus > 0)
    append_once(machine, counted(static_cast<std::uint64_t>(host.logical_cpus), "logical CPU"));
  if (host.memory_gib > 0)
    append_once(machine, fmt::format("{} GiB of memory", figure(host.memory_gib)));
  append_once(machine, host.distribution);
  if (!host.kernel.empty()) append_once(machine, "kernel " + host.kernel);
  append_once(machine, host.architecture);
  return machine.empty() ? "an unknown machine" : fmt::format("{}", fmt::join(machine, ", "));
}

std::string measured_sentence(const record::Record& record) {
  const record::Settings& settings = record.settings;
  return fmt::format(
      "Measured on {}, with {}, {}: {} per method, {}{}, resident set sampled every {} ms.",
      machine_words(record.host), build_words(record.build), record.generated_at,
      counted(static_cast<std::uint64_t>(settings.rounds), "round"),
      record.status == record::Status::complete ? "" : "up to ",
      counted(static_cast<std::uint64_t>(settings.repeat), "repeat"),
      figure(settings.sample_interval_ms));
}

std::string accuracy_sentence(const std::optional<record::Accuracy>& accuracy) {
  if (!accuracy)
    return "How far off these figures can be on this host is not known: this build was never "
           "calibrated here. Run: weighbridge calibrate";
  std::vector<std::string> figures;
  const auto add = [&](std::string_view name, const std::optional<double>& value,
                       std::string_view unit) {
    if (value) figures.push_back(fmt::format("{} ±{} {}", name, two_digits(*value), unit));
  };
  add("memory", accuracy->memory_percent, "%");
  add("CPU", accuracy->cpu_percent, "%");
  add("p99", accuracy->p99_us, "µs");
  return fmt::format("On this host: {} (calibrated{} {}: {} of {} within their bounds).",
                     figures.empty() ? "accuracy not known, it was too busy to be calibrated"
                                     : fmt::format("{}", fmt::join(figures, ", ")),
                     accuracy->quick ? " quickly" : "", accuracy->calibrated_at,
                     accuracy->weights_within, counted(accuracy->weights, "known weight"));
}

std::string early_end_words(record::Status status, std::string_view reason) {
  const std::string_view kept = "What follows is what had been measured by then.";
  while (reason.ends_with('.')) reason.remove_suffix(1);
  switch (status) {
    case record::Status::complete:
      return {};
    case record::Status::interrupted:
      return fmt::format("This run was interrupted. {}", kept);
    case record::Status::broke_off:
      return fmt::format("This run broke off: {}. {}",
                         reason.empty() ? "no reason was kept" : reason, kept);
  }
  return {};
}

std::string warning_of(const record::Record& record) {
  if (const std::string words = early_end_words(record.status, record.broke_off_because);
      !words.empty())
    return words;
  const record::Settings& settings = record.settings;
  if (settings.quick && settings.only.empty())
    return "This was a quick run: few clients, one repeat. Good to see that everything works, not "
           "to quote.";
  if (!settings.only.empty())
    return fmt::format("This was a partial run: only scenarios that match {}{}.", settings.only,
                       settings.quick ? ", and quick, so not to quote" : "");
  return {};
}

std::vector<std::string> not_measured(const record::Record& record) {
  std::vector<std::string> sentences;
  sentences.emplace_back(
      "A client's cache. Every listing was asked of the server, on purpose; a client that keeps "
      "listings pays for them less often, and never less than once.");
  sentences.emplace_back(
      "Waiting in line. Calls were sent by callers who wait for each answer before they ask again. "
      "A server that stalls also stops these callers, so the calls that would have shown the stall "
      "were never sent. Where requests arrive on their own schedule, latencies are higher.");
  sentences.emplace_back(
      "A host of its own. Driver and server shared this machine; what the driver took is listed "
      "above, and the latencies include what it added by being busy.");
  if (has_transport(record, "http"))
    sentences.emplace_back(
        "A network. A server on this host was called over the loopback interface; add your own "
        "round trip.");
  sentences.emplace_back(
      had_upstream(record)
          ? "A real upstream. What the server calls was played by a stand-in on this host, so the "
            "latencies are the server's own with the service behind it taken away."
          : "What lies behind the server. Where a tool calls another service, that service's "
            "answer "
            "time is within these latencies, and nothing here tells the two apart.");
  sentences.push_back(limiter_sentence(record));
  sentences.emplace_back(
      "A cold disk. Nothing emptied the file cache between starts, so all but the first start of "
      "the run found the program in memory.");
  sentences.emplace_back("Growth. A scenario lasts seconds; a slow leak needs hours.");
  sentences.emplace_back(
      "Any machine but this one. The relations between figures travel to another host better than "
      "the figures do.");
  return sentences;
}

std::string_view closed_loop_note() {
  return "Closed loop: each caller waits for its answer before it asks again, which hides queueing "
         "at the server.";
}

}  // namespace weighbridge::report
