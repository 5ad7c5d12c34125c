#pragma once

#include "record/detail/like.h"
#include "record/scenario.h"
#include "stats/interval.h"

namespace weighbridge::record::detail {

// Scenarios and their summaries over the repeats. See members.h.

template <typename Visitor>
void members(Visitor& visit, Like<stats::Interval> auto& it) {
  visit("low", it.low);
  visit("high", it.high);
  visit("confidence", it.confidence);
}

template <typename Visitor>
void members(Visitor& visit, Like<stats::Estimate> auto& it) {
  visit("value", it.value);
  visit("interval", it.interval);
  visit("n", it.n);
}

template <typename Visitor>
void members(Visitor& visit, Like<MethodSummary> auto& it) {
  visit("method", it.method);
  visit("detail", it.detail);
  visit("sent", it.sent);
  visit("served", it.served);
  visit("refused", it.refused);
  visit("failed", it.failed);
  visit("hung", it.hung);
  visit("latency", it.latency);
  visit("p50_interval_ms", it.p50_interval_ms);
  visit("p90_interval_ms", it.p90_interval_ms);
  visit("p99_interval_ms", it.p99_interval_ms);
  visit("lateness", it.lateness);
  visit("first_refusal", it.first_refusal);
  visit("first_failure", it.first_failure);
}

template <typename Visitor>
void members(Visitor& visit, Like<Summary> auto& it) {
  visit("process_ready_ms", it.process_ready_ms);
  visit("first_list_ms", it.first_list_ms);
  visit("warm_list_ms", it.warm_list_ms);
  visit("idle_mib", it.idle_mib);
  visit("one_client_mib", it.one_client_mib);
  visit("all_clients_mib", it.all_clients_mib);
  visit("all_clients_proportional_mib", it.all_clients_proportional_mib);
  visit("per_extra_client_mib", it.per_extra_client_mib);
  visit("peak_mib", it.peak_mib);
  visit("after_load_mib", it.after_load_mib);
  visit("threads", it.threads);
  visit("descriptors", it.descriptors);
  visit("processes", it.processes);
  visit("build_cpu_seconds", it.build_cpu_seconds);
  visit("serve_cpu_seconds", it.serve_cpu_seconds);
  visit("serve_percent", it.serve_percent);
  visit("cpu_per_call_ms", it.cpu_per_call_ms);
  visit("driver_cpu_seconds", it.driver_cpu_seconds);
  visit("methods", it.methods);
}

template <typename Visitor>
void members(Visitor& visit, Like<Scenario> auto& it) {
  visit("id", it.id);
  visit("transport", it.transport);
  visit("variant", it.variant);
  visit("telemetry", it.telemetry);
  visit("clients", it.clients);
  visit("parallel", it.parallel);
  visit("rounds", it.rounds);
  visit("channel", it.channel);
  visit("repeats", it.repeats);
  visit("summary", it.summary);
}

}  // namespace weighbridge::record::detail
