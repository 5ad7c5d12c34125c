#include "modes/summary.h"

#include <cmath>
#include <functional>
#include <optional>

#include "base/clock.h"
#include "stats/interval.h"
#include "stats/samples.h"
#include "stats/summary.h"

namespace weighbridge::modes {
namespace {

using record::Latency;
using record::Method;
using record::MethodSummary;
using record::Repeat;

constexpr double kNsPerMs = 1e6;

std::optional<double> in_ms(std::optional<std::int64_t> nanoseconds) {
  if (!nanoseconds) return std::nullopt;
  return static_cast<double>(*nanoseconds) / kNsPerMs;
}

stats::Samples to_samples(const std::vector<double>& samples_ms) {
  stats::Samples samples;
  samples.reserve(samples_ms.size());
  for (const double ms : samples_ms) samples.add(Duration(std::llround(ms * kNsPerMs)));
  return samples;
}

std::optional<Latency> latency_of(const stats::Samples& samples) {
  const auto summary = stats::summarize(samples);
  if (!summary) return std::nullopt;
  Latency latency;
  latency.count = summary->count;
  latency.min_ms = static_cast<double>(summary->min) / kNsPerMs;
  latency.mean_ms = summary->mean / kNsPerMs;
  latency.p50_ms = static_cast<double>(summary->p50) / kNsPerMs;
  latency.p90_ms = in_ms(summary->p90);
  latency.p99_ms = in_ms(summary->p99);
  latency.p999_ms = in_ms(summary->p999);
  latency.max_ms = static_cast<double>(summary->max) / kNsPerMs;
  latency.cv = summary->cv;
  return latency;
}

std::optional<stats::Interval> percentile_interval(const stats::Samples& samples, double q) {
  const auto estimate = stats::percentile_estimate(samples, q);
  if (!estimate || !estimate->interval) return std::nullopt;
  stats::Interval interval = *estimate->interval;
  interval.low /= kNsPerMs;
  interval.high /= kNsPerMs;
  return interval;
}

/// The median over the repeats that have the figure.
std::optional<stats::Estimate> over_repeats(
    const std::vector<Repeat>& repeats,
    const std::function<std::optional<double>(const Repeat&)>& figure) {
  std::vector<double> values;
  for (const Repeat& repeat : repeats) {
    if (const auto value = figure(repeat)) values.push_back(*value);
  }
  return stats::median_of_repeats(values);
}

std::optional<double> resident(const std::optional<record::MemoryMoment>& moment) {
  if (!moment) return std::nullopt;
  return moment->resident_mib;
}

const Method* find_method(const Repeat& repeat, const std::string& method) {
  for (const Method& candidate : repeat.methods) {
    if (candidate.method == method) return &candidate;
  }
  return nullptr;
}

/// A figure counts as measured only in repeats that came as far as the load.
bool loaded(const Repeat& repeat) {
  return !repeat.methods.empty();
}

MethodSummary summarise_method(const std::vector<Repeat>& repeats, const Method& first) {
  MethodSummary summary;
  summary.method = first.method;
  summary.detail = first.detail;
  std::vector<double> pooled;
  double worst_lateness = -1;
  for (const Repeat& repeat : repeats) {
    const Method* method = find_method(repeat, first.method);
    if (method == nullptr) continue;
    summary.sent += method->sent;
    summary.served += method->served.count;
    summary.refused += method->refused.count;
    summary.failed += method->failed.count;
    summary.hung += method->hung.count;
    pooled.insert(pooled.end(), method->served.samples_ms.begin(), method->served.samples_ms.end());
    // Lateness accuses the driver, so the worst repeat speaks for all.
    if (method->lateness && method->lateness->p50_ms > worst_lateness) {
      worst_lateness = method->lateness->p50_ms;
      summary.lateness = method->lateness;
    }
    if (summary.first_refusal.empty()) summary.first_refusal = method->refused.first_text;
    if (summary.first_failure.empty()) {
      summary.first_failure =
          method->failed.count > 0 ? method->failed.first_text : method->hung.first_text;
    }
  }
  const stats::Samples samples = to_samples(pooled);
  summary.latency = latency_of(samples);
  if (summary.latency) {
    summary.p50_interval_ms = percentile_interval(samples, 0.50);
    if (summary.latency->p90_ms) summary.p90_interval_ms = percentile_interval(samples, 0.90);
    if (summary.latency->p99_ms) summary.p99_interval_ms = percentile_interval(samples, 0.99);
  }
  return summary;
}

}  // namespace

std::optional<Latency> latency_of(const std::vector<double>& samples_ms) {
  return latency_of(to_samples(samples_ms));
}

record::Summary summarise(const std::vector<Repeat>& repeats) {
  record::Summary summary;
  const auto over = [&](const std::function<std::optional<double>(const Repeat&)>& figure) {
    return over_repeats(repeats, figure);
  };
  summary.process_ready_ms = over([](const Repeat& r) { return r.startup.process_ready_ms; });
  summary.first_list_ms = over([](const Repeat& r) { return r.startup.first_list_ms; });
  summary.warm_list_ms = over([](const Repeat& r) -> std::optional<double> {
    const Method* list = find_method(r, "tools/list");
    if (list == nullptr || !list->served.latency) return std::nullopt;
    return list->served.latency->p50_ms;
  });
  summary.idle_mib = over([](const Repeat& r) { return resident(r.memory.idle); });
  summary.one_client_mib = over([](const Repeat& r) { return resident(r.memory.one_client); });
  summary.all_clients_mib = over([](const Repeat& r) { return resident(r.memory.all_clients); });
  summary.all_clients_proportional_mib = over([](const Repeat& r) -> std::optional<double> {
    return r.memory.all_clients ? r.memory.all_clients->proportional_mib : std::nullopt;
  });
  summary.per_extra_client_mib = over([](const Repeat& r) -> std::optional<double> {
    if (!r.memory.per_extra_client_mib) return std::nullopt;
    return r.memory.per_extra_client_mib->per_unit;
  });
  summary.peak_mib = over([](const Repeat& r) { return r.memory.peak_mib; });
  summary.after_load_mib = over([](const Repeat& r) { return resident(r.memory.after_load); });
  summary.threads = over([](const Repeat& r) -> std::optional<double> {
    if (r.resources.threads == 0) return std::nullopt;
    return static_cast<double>(r.resources.threads);
  });
  summary.descriptors = over([](const Repeat& r) -> std::optional<double> {
    if (!r.resources.descriptors) return std::nullopt;
    return static_cast<double>(*r.resources.descriptors);
  });
  summary.processes = over([](const Repeat& r) -> std::optional<double> {
    if (r.resources.processes == 0) return std::nullopt;
    return static_cast<double>(r.resources.processes);
  });
  const auto cpu = [](double record::Cpu::* member) {
    return [member](const Repeat& r) -> std::optional<double> {
      if (!loaded(r) || !r.cpu.serve_percent) return std::nullopt;
      return r.cpu.*member;
    };
  };
  summary.build_cpu_seconds = over(cpu(&record::Cpu::build_seconds));
  summary.serve_cpu_seconds = over(cpu(&record::Cpu::serve_seconds));
  summary.serve_percent = over([](const Repeat& r) { return r.cpu.serve_percent; });
  summary.cpu_per_call_ms = over([](const Repeat& r) { return r.cpu.per_call_ms; });
  summary.driver_cpu_seconds = over([](const Repeat& r) -> std::optional<double> {
    if (!loaded(r)) return std::nullopt;
    return r.driver.cpu_seconds;
  });
  for (const Repeat& repeat : repeats) {
    for (const Method& method : repeat.methods) {
      bool known = false;
      for (const MethodSummary& other : summary.methods)
        known = known || other.method == method.method;
      if (!known) summary.methods.push_back(summarise_method(repeats, method));
    }
  }
  return summary;
}

}  // namespace weighbridge::modes
