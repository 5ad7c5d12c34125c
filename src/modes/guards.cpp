#include "modes/guards.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/clock.h"

namespace weighbridge::modes {
namespace {

using record::Doubt;
using record::DoubtKind;

constexpr double kBusyShare = 0.8;
constexpr double kLatenessShare = 0.1;
constexpr double kSamplerShare = 0.003;

std::string named(const record::Method& method) {
  return method.detail.empty() ? method.method
                               : fmt::format("{} ({})", method.method, method.detail);
}

std::string outcome_words(const record::Method& method) {
  std::vector<std::string> parts;
  const auto mention = [&](const record::OutcomeLatency& outcome, std::string_view name) {
    if (outcome.count == 0) return;
    parts.push_back(outcome.first_text.empty() ? fmt::format("{} {}", outcome.count, name)
                                               : fmt::format("{} {} (first: {})", outcome.count,
                                                             name, outcome.first_text));
  };
  mention(method.refused, "refused");
  mention(method.failed, "failed");
  mention(method.hung, "hung");
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::vector<Doubt> driver_doubts(const std::string& where, const record::Driver& driver,
                                 const std::vector<record::Method>& methods) {
  std::vector<Doubt> doubts;
  if (driver.busy_share > kBusyShare) {
    doubts.push_back(
        {DoubtKind::driver_limited, where,
         fmt::format("the driver was busy {:.0f} % of its core during the load",
                     driver.busy_share * 100),
         "Read latencies as an upper bound; use fewer clients, or a host with more cores"});
  }
  for (const record::Method& method : methods) {
    if (!method.lateness || !method.served.latency) continue;
    const double late = method.lateness->p99_ms.value_or(method.lateness->max_ms);
    const double reported = method.served.latency->p50_ms;
    if (late <= kLatenessShare * reported) continue;
    doubts.push_back({DoubtKind::driver_limited, where,
                      fmt::format("{}: the last calls of a round were sent {:.3g} ms after they "
                                  "were due, against a p50 of {:.3g} ms",
                                  named(method), late, reported),
                      "Latency counts from the instant a round was released; the service time in "
                      "the record counts from the send"});
  }
  return doubts;
}

std::optional<Doubt> weather_doubt(const std::string& where, const os::Weather& before,
                                   const os::Weather& after) {
  if (before.quiet() && after.quiet()) return std::nullopt;
  const os::Weather& worse = before.lost_share >= after.lost_share ? before : after;
  return Doubt{
      DoubtKind::noisy_host, where,
      fmt::format("the host was not quiet: a probe lost {:.1f} % of its time, worst gap {:.1f} ms",
                  worse.lost_share * 100,
                  to_milliseconds(std::max(before.worst_gap, after.worst_gap))),
      "Latency and ready times carry this; repeat on a quiet machine before comparing them"};
}

std::vector<Doubt> outcome_doubts(const std::string& where,
                                  const std::vector<record::Method>& methods) {
  std::vector<Doubt> doubts;
  for (const record::Method& method : methods) {
    if (method.sent == method.served.count) continue;
    const bool nothing = method.served.count == 0;
    doubts.push_back(
        {nothing ? DoubtKind::nothing_served : DoubtKind::outcomes_mixed, where,
         nothing
             ? fmt::format("{}: nothing was served: {}", named(method), outcome_words(method))
             : fmt::format("{}: {} of {} calls were not served: {}", named(method),
                           method.sent - method.served.count, method.sent, outcome_words(method)),
         nothing ? "No latency is drawn; CPU figures are of a server that said no"
                 : "Latencies are of served calls only; CPU per call counts every completed one"});
  }
  return doubts;
}

std::vector<Doubt> sampling_doubts(const std::string& where, const sampling::Trace& trace,
                                   Duration length, std::uint64_t processes) {
  std::vector<Doubt> doubts;
  for (const sampling::MissingSource& missing : trace.missing) {
    doubts.push_back({DoubtKind::missing_source, "",
                      fmt::format("{} is not offered here", missing.source),
                      missing.fallback.empty() ? "The figure is left out"
                                               : "Used instead: " + missing.fallback});
  }
  const double share = length > 0ns ? to_seconds(trace.sampler_cpu) / to_seconds(length) : 0;
  if (share > kSamplerShare * static_cast<double>(std::max<std::uint64_t>(processes, 1))) {
    doubts.push_back({DoubtKind::sampler_costly, where,
                      fmt::format("sampling used {:.2f} % of a core", share * 100),
                      "Sample less often with --sample-interval"});
  }
  return doubts;
}

Doubt unsettled_doubt(const std::string& where, const std::string& moment, Duration ceiling) {
  return {DoubtKind::unsettled, where,
          fmt::format("{}: the resident set was still moving by more than 1 % after {:.1f} s",
                      moment, to_seconds(ceiling)),
          "The reading is of a server that was not at rest; treat it as approximate"};
}

Doubt attached_doubt(bool pid_known) {
  return pid_known
             ? Doubt{DoubtKind::attached, "",
                     "the server was running already: its start and its build were not seen, nor "
                     "which of its processes lost their parent before",
                     "Let Weighbridge start the server to see them"}
             : Doubt{DoubtKind::attached, "",
                     "the server was running already and no pid was given: its memory and "
                     "processor time were not measured",
                     "Add --pid to weigh its process tree"};
}

Doubt orphans_doubt(const std::string& where, const std::vector<std::string>& commands) {
  return {DoubtKind::orphans_ended, where,
          fmt::format("{} process{} outlived the target's own end and had to be ended: {}",
                      commands.size(), commands.size() == 1 ? "" : "es", fmt::join(commands, "; ")),
          "A client that starts this server leaves them behind too"};
}

Doubt died_doubt(const std::string& where, const std::vector<std::string>& names,
                 const std::string& words) {
  return {DoubtKind::target_died, where,
          fmt::format("the target ended by itself: {}{}", fmt::join(names, ", "),
                      words.empty() ? "" : "; its last words: " + words),
          "Figures of this repeat end there"};
}

void add_once(std::vector<Doubt>& doubts, Doubt doubt) {
  const bool known = std::ranges::any_of(doubts, [&](const Doubt& other) {
    return other.kind == doubt.kind && other.message == doubt.message;
  });
  if (!known) doubts.push_back(std::move(doubt));
}

}  // namespace weighbridge::modes
