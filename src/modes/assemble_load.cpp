#include "modes/assemble_load.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/units.h"
#include "stats/bootstrap.h"
#include "stats/interval.h"
#include "stats/summary.h"

namespace weighbridge::modes {
namespace {

using load::PhaseOutcome;
using load::Sample;
using protocol::Outcome;

constexpr double kNsPerMs = 1e6;

std::optional<record::Latency> latency_of(const stats::Samples& samples) {
  const auto summary = stats::summarize(samples);
  if (!summary) return std::nullopt;
  const auto ms = [](std::optional<std::int64_t> ns) -> std::optional<double> {
    if (!ns) return std::nullopt;
    return static_cast<double>(*ns) / kNsPerMs;
  };
  return record::Latency{.count = summary->count,
                         .min_ms = static_cast<double>(summary->min) / kNsPerMs,
                         .mean_ms = summary->mean / kNsPerMs,
                         .p50_ms = static_cast<double>(summary->p50) / kNsPerMs,
                         .p90_ms = ms(summary->p90),
                         .p99_ms = ms(summary->p99),
                         .p999_ms = ms(summary->p999),
                         .max_ms = static_cast<double>(summary->max) / kNsPerMs,
                         .cv = summary->cv};
}

std::optional<stats::Interval> percentile_interval(const stats::Samples& samples, double q) {
  if (!samples.allowed(q)) return std::nullopt;
  const auto estimate = stats::percentile_estimate(samples, q);
  if (!estimate || !estimate->interval) return std::nullopt;
  return stats::Interval{estimate->interval->low / kNsPerMs, estimate->interval->high / kNsPerMs,
                         estimate->interval->confidence};
}

stats::Samples latencies(const PhaseOutcome& outcome, Outcome wanted) {
  return load::collect(
      outcome.samples, [wanted](const Sample::Parts& call) { return call.outcome == wanted; },
      [](const Sample::Parts& call) { return call.latency; });
}

/// Where a distribution is usually looked at, as far as the samples reach.
std::vector<record::Quantile> spectrum_of(const stats::Samples& samples) {
  static constexpr std::array kQuantiles{0.0,    0.01,  0.05,   0.1,    0.2,     0.3,  0.4,
                                         0.5,    0.6,   0.7,    0.75,   0.8,     0.85, 0.9,
                                         0.925,  0.95,  0.975,  0.98,   0.985,   0.99, 0.995,
                                         0.9975, 0.999, 0.9995, 0.9999, 0.99999, 1.0};
  std::vector<record::Quantile> points;
  for (const double q : kQuantiles)
    if (const auto value = samples.allowed(q))
      points.push_back({q, static_cast<double>(*value) / kNsPerMs});
  return points;
}

/// Mean of the served calls over whole seconds of the window.
std::optional<stats::Interval> rate_interval(const PhaseOutcome& outcome, double planned_seconds) {
  constexpr std::size_t kTicksPerSecond = 10;
  std::vector<double> seconds;
  for (std::size_t second = 0; second < static_cast<std::size_t>(planned_seconds); ++second) {
    double served = 0;
    for (std::size_t i = second * kTicksPerSecond; i < (second + 1) * kTicksPerSecond; ++i)
      if (i < outcome.served_per_tick.size()) served += outcome.served_per_tick[i];
    seconds.push_back(served);
  }
  const auto mean = stats::bootstrap_mean(seconds, {});
  return mean ? mean->interval : std::nullopt;
}

std::string media_words(const load::MediaTally& media) {
  if (media.stdio > 0) return "stdio";
  if (media.json > 0 && media.sse > 0) return "json+sse";
  if (media.sse > 0) return "sse";
  return media.json > 0 ? "json" : "";
}

std::string name_of(const load::Operation& operation) {
  return operation.name.empty() ? operation.method : operation.method + " " + operation.name;
}

/// `of_all`: the served calls' latency, whatever their operation.
std::vector<record::LoadOperationResult> operations_of(
    const load::Spec& spec, const PhaseOutcome& outcome,
    const std::optional<record::Latency>& of_all) {
  std::vector<record::LoadOperationResult> results;
  for (std::size_t i = 0; i < spec.operations.size(); ++i) {
    const load::OperationTally& tally = outcome.operations[i];
    record::LoadOperationResult& result = results.emplace_back();
    result.method = spec.operations[i].method;
    result.name = spec.operations[i].name;
    result.served = tally.of(Outcome::served);
    result.refused = tally.of(Outcome::refused);
    result.failed = tally.of(Outcome::failed);
    result.hung = tally.of(Outcome::hung);
    result.sent = result.served + result.refused + result.failed + result.hung;
    result.checked_whole = tally.checked_whole;
    result.media = media_words(tally.media);
    if (result.served == 0) continue;
    result.reply_bytes =
        static_cast<double>(tally.message_bytes) / static_cast<double>(result.served);
    result.reply_wire_bytes =
        static_cast<double>(tally.wire_bytes) / static_cast<double>(result.served);
    if (spec.operations.size() == 1) {
      result.latency = of_all;  // sorting them again would cost more than a hundredth of every call
      continue;
    }
    result.latency = latency_of(load::collect(
        outcome.samples,
        [i](const Sample::Parts& call) {
          return call.outcome == Outcome::served && call.operation == i;
        },
        [](const Sample::Parts& call) { return call.latency; }));
  }
  return results;
}

record::LoadDriver driver_of(const PhaseOutcome& outcome) {
  record::LoadDriver driver;
  double in_flight = 0;
  for (const load::WorkerAudit& worker : outcome.workers) {
    const double real = to_seconds(worker.real);
    record::LoadThread& thread = driver.threads.emplace_back();
    thread.cpu_seconds = to_seconds(worker.cpu);
    thread.spin_seconds = std::min(to_seconds(worker.spun), thread.cpu_seconds);
    if (real > 0) {
      thread.busy_share = (thread.cpu_seconds - thread.spin_seconds) / real;
      thread.waited_share = to_seconds(worker.waited) / real;
    }
    driver.cpu_seconds += thread.cpu_seconds;
    driver.spin_seconds += thread.spin_seconds;
    driver.busy_share = std::max(driver.busy_share, thread.busy_share);
    driver.waited_share = std::max(driver.waited_share, thread.waited_share);
    in_flight += worker.in_flight;
  }
  if (outcome.sent() > 0)
    driver.cpu_per_call_us =
        (driver.cpu_seconds - driver.spin_seconds) * 1e6 / static_cast<double>(outcome.sent());
  double busy = 0;
  outcome.samples.for_each(
      [&](const Sample::Parts& call) { busy += static_cast<double>(call.service.count()); });
  if (in_flight > 0) driver.littles_law = busy / in_flight;
  driver.connections_opened = outcome.connections_opened;
  driver.connection_resets_retried = outcome.resets_retried;
  driver.notifications = outcome.notifications;
  driver.server_requests = outcome.server_requests;
  driver.stray_messages = outcome.stray_messages;
  return driver;
}

void add_rate(record::LoadStep& step, const load::Spec& spec, const PhaseOutcome& outcome,
              std::size_t credentials) {
  std::optional<Duration> planned = spec.duration;
  if (spec.pace) {
    planned = spec.pace->length();
    const double factor = spec.pace->per_credential ? static_cast<double>(credentials) : 1;
    step.offered_rate = spec.pace->expected_calls() * factor / to_seconds(*planned);
    step.intended = step.sent + step.missed;
  }
  step.real_seconds = to_seconds(outcome.real());
  // With a number of calls asked for there is no window but the one it took.
  if (planned && !(spec.requests && outcome.real() < *planned)) {
    step.planned_seconds = to_seconds(*planned);
    step.rate = static_cast<double>(outcome.served_in_window) / *step.planned_seconds;
    step.rate_interval = rate_interval(outcome, *step.planned_seconds);
  } else if (step.real_seconds > 0) {
    step.rate = static_cast<double>(step.served) / step.real_seconds;
  }
}

}  // namespace

record::LoadStep step_of(const load::Spec& spec, const load::PhaseOutcome& outcome,
                         std::size_t credentials, const plan::Redactor& redact) {
  record::LoadStep step;
  step.served = outcome.of(Outcome::served);
  step.refused = outcome.of(Outcome::refused);
  step.failed = outcome.of(Outcome::failed);
  step.hung = outcome.of(Outcome::hung);
  step.sent = outcome.sent();
  step.missed = outcome.missed;
  step.overran = outcome.overran;
  add_rate(step, spec, outcome, credentials);

  const stats::Samples served = latencies(outcome, Outcome::served);
  step.latency = latency_of(served);
  step.p50_interval_ms = percentile_interval(served, 0.5);
  step.p99_interval_ms = percentile_interval(served, 0.99);
  step.spectrum = spectrum_of(served);
  step.refused_latency = latency_of(latencies(outcome, Outcome::refused));
  step.failed_latency = latency_of(latencies(outcome, Outcome::failed));
  step.hung_latency = latency_of(latencies(outcome, Outcome::hung));
  const auto is_served = [](const Sample::Parts& call) { return call.outcome == Outcome::served; };
  step.service = latency_of(load::collect(outcome.samples, is_served,
                                          [](const Sample::Parts& call) { return call.service; }));
  step.first_event = latency_of(load::collect(
      outcome.samples, is_served, [](const Sample::Parts& call) { return call.first_event; }));
  const auto gap = [](const Sample::Parts& call) { return call.latency - call.service; };
  step.lateness = latency_of(
      load::collect(outcome.samples, [](const Sample::Parts& call) { return !call.waited; }, gap));
  step.slot_wait = latency_of(
      load::collect(outcome.samples, [](const Sample::Parts& call) { return call.waited; }, gap));
  step.tick_ms = to_milliseconds(PhaseOutcome::kTick);
  step.sent_per_tick.assign(outcome.sent_per_tick.begin(), outcome.sent_per_tick.end());
  step.served_per_tick.assign(outcome.served_per_tick.begin(), outcome.served_per_tick.end());
  step.operations = operations_of(spec, outcome, step.latency);
  for (const load::Trouble& trouble : outcome.troubles)
    step.troubles.push_back({std::string(to_string(trouble.outcome)),
                             name_of(spec.operations[trouble.operation]), trouble.count,
                             redact(trouble.first_text)});
  step.driver = driver_of(outcome);
  return step;
}

record::LoadTarget target_of(const sampling::TreeSample& before, const sampling::TreeSample& after,
                             const std::vector<sampling::TreeSample>& between,
                             const record::LoadStep& step) {
  record::LoadTarget target;
  target.cpu_seconds = to_seconds(after.cpu - before.cpu);
  const std::uint64_t completed = step.sent - step.hung;
  if (completed > 0)
    target.cpu_per_call_ms = target.cpu_seconds * 1e3 / static_cast<double>(completed);
  if (step.real_seconds > 0) target.cpu_percent = target.cpu_seconds / step.real_seconds * 100;
  std::uint64_t peak = std::max(before.resident_bytes, after.resident_bytes);
  for (const sampling::TreeSample& sample : between)
    if (sample.at >= before.at && sample.at <= after.at)
      peak = std::max(peak, sample.resident_bytes);
  target.resident_mib = to_mib(static_cast<double>(after.resident_bytes));
  target.peak_mib = to_mib(static_cast<double>(peak));
  return target;
}

}  // namespace weighbridge::modes
