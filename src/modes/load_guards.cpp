#include <fmt/format.h>

#include <cmath>

#include "modes/assemble_load.h"

namespace weighbridge::modes {
namespace {

using record::Doubt;
using record::DoubtKind;
using record::LoadStep;

constexpr double kBusyShare = 0.8;
constexpr double kLatenessShare = 0.1;
constexpr double kLostShare = 0.02;
constexpr double kWorstGapMs = 20;
/// Either side of the law is exact to a turn of the driver's loop; more is a mistake in counting.
constexpr double kLawTolerance = 0.05;
constexpr std::uint64_t kEnoughForP99 = 100;

void add_driver(std::vector<Doubt>& doubts, const std::string& where, const LoadStep& step) {
  if (step.driver.busy_share > kBusyShare)
    doubts.push_back({DoubtKind::driver_limited, where,
                      fmt::format("a thread of the driver was busy {:.0f} % of its core",
                                  step.driver.busy_share * 100),
                      "Read rates as a lower and latencies as an upper bound; give it more "
                      "--threads and cores"});
  if (step.lateness && step.latency) {
    const double late = step.lateness->p99_ms.value_or(step.lateness->max_ms);
    if (late > kLatenessShare * step.latency->p50_ms)
      doubts.push_back({DoubtKind::driver_limited, where,
                        fmt::format("calls were sent up to {:.3g} ms after they were due (p99), "
                                    "against a p50 of {:.3g} ms",
                                    late, step.latency->p50_ms),
                        "The latencies include it; the service times in the record do not"});
  }
  if (step.slot_wait && step.slot_wait->count * 100 > step.sent)
    doubts.push_back(
        {DoubtKind::driver_limited, where,
         fmt::format("{} of {} calls waited for a free slot, up to {:.3g} ms",
                     step.slot_wait->count, step.sent, step.slot_wait->max_ms),
         "The latencies include the wait, as a caller's would; with more --parallel or "
         "--credentials the calls would meet the server instead of the queue before it"});
  const auto law = step.driver.littles_law;
  if (law && std::fabs(*law - 1) > kLawTolerance && step.sent >= kEnoughForP99)
    doubts.push_back(
        {DoubtKind::driver_limited, where,
         fmt::format("latencies and calls in flight do not agree (Little's law: {:.3g} "
                     "instead of 1)",
                     *law),
         "The driver was stopped for longer stretches; repeat on a quieter machine"});
}

void add_weather(std::vector<Doubt>& doubts, const std::string& where, const LoadStep& step) {
  const auto noisy = [](const std::optional<record::WeatherReading>& reading) {
    return reading && (reading->lost_share >= kLostShare || reading->worst_gap_ms > kWorstGapMs);
  };
  if (noisy(step.weather_before) || noisy(step.weather_after)) {
    const bool first = !noisy(step.weather_after) ||
                       (noisy(step.weather_before) &&
                        step.weather_before->lost_share > step.weather_after->lost_share);
    const record::WeatherReading& worse = first ? *step.weather_before : *step.weather_after;
    doubts.push_back(
        {DoubtKind::noisy_host, where,
         fmt::format("the host was not quiet: a probe lost {:.1f} % of its time, worst "
                     "gap {:.1f} ms",
                     worse.lost_share * 100, worse.worst_gap_ms),
         "Repeat on a quiet machine before comparing"});
  }
  if (step.driver.waited_share >= kLostShare)
    doubts.push_back(
        {DoubtKind::noisy_host, where,
         fmt::format("a thread of the driver was ready but kept from its core for {:.1f} % of the "
                     "time",
                     step.driver.waited_share * 100),
         "Something else runs there, perhaps the server itself: see --driver-cpus, --target-cpus"});
}

void add_outcomes(std::vector<Doubt>& doubts, const std::string& where, const LoadStep& step) {
  if (step.sent > step.served) {
    const bool nothing = step.served == 0;
    const std::string first =
        step.troubles.empty() ? "" : fmt::format("; first: {}", step.troubles.front().first_text);
    doubts.push_back(
        {nothing ? DoubtKind::nothing_served : DoubtKind::outcomes_mixed, where,
         fmt::format("of {} calls {} were served, {} refused, {} failed, {} hung{}", step.sent,
                     step.served, step.refused, step.failed, step.hung, first),
         nothing ? "No latency is drawn" : "Latencies and rate are of served calls only"});
  }
  if (step.missed > 0)
    doubts.push_back(
        {DoubtKind::outcomes_mixed, where,
         fmt::format("{} calls were due and could not be sent before their deadline", step.missed),
         "They are in no latency: the true figures are worse"});
  if (step.served > 0 && step.served < kEnoughForP99)
    doubts.push_back({DoubtKind::too_few_samples, where,
                      fmt::format("{} served calls are too few for a p99", step.served),
                      "Let the step last longer"});
  if (step.driver.connection_resets_retried > 0)
    doubts.push_back({DoubtKind::connection_resets, where,
                      fmt::format("{} calls met a connection that the server had closed and were "
                                  "sent again",
                                  step.driver.connection_resets_retried),
                      "Their latency includes both attempts"});
}

}  // namespace

std::vector<Doubt> load_doubts(const std::string& where, const LoadStep& step) {
  std::vector<Doubt> doubts;
  add_driver(doubts, where, step);
  add_weather(doubts, where, step);
  add_outcomes(doubts, where, step);
  return doubts;
}

}  // namespace weighbridge::modes
