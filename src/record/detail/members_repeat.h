#pragma once

#include "record/detail/like.h"
#include "record/scenario.h"

namespace weighbridge::record::detail {

// What one repeat of a scenario measured. See members.h.

template <typename Visitor>
void members(Visitor& visit, Like<Slope> auto& it) {
  visit("per_unit", it.per_unit);
  visit("low", it.low);
  visit("high", it.high);
  visit("confidence", it.confidence);
  visit("points", it.points);
}

template <typename Visitor>
void members(Visitor& visit, Like<MemoryMoment> auto& it) {
  visit("resident_mib", it.resident_mib);
  visit("proportional_mib", it.proportional_mib);
  visit("private_dirty_mib", it.private_dirty_mib);
  visit("settled", it.settled);
}

template <typename Visitor>
void members(Visitor& visit, Like<Memory> auto& it) {
  visit("idle", it.idle);
  visit("one_client", it.one_client);
  visit("all_clients", it.all_clients);
  visit("after_load", it.after_load);
  visit("peak_mib", it.peak_mib);
  visit("peak_high_water_mib", it.peak_high_water_mib);
  visit("peak_sampled_mib", it.peak_sampled_mib);
  visit("per_extra_client_mib", it.per_extra_client_mib);
}

template <typename Visitor>
void members(Visitor& visit, Like<RampPoint> auto& it) {
  visit("client", it.client);
  visit("first_list_ms", it.first_list_ms);
  visit("resident_mib", it.resident_mib);
  visit("settled", it.settled);
}

template <typename Visitor>
void members(Visitor& visit, Like<Startup> auto& it) {
  visit("process_ready_ms", it.process_ready_ms);
  visit("first_list_ms", it.first_list_ms);
  visit("open_ms", it.open_ms);
}

template <typename Visitor>
void members(Visitor& visit, Like<Cpu> auto& it) {
  visit("build_seconds", it.build_seconds);
  visit("ramp_seconds", it.ramp_seconds);
  visit("serve_seconds", it.serve_seconds);
  visit("total_seconds", it.total_seconds);
  visit("user_seconds", it.user_seconds);
  visit("system_seconds", it.system_seconds);
  visit("serve_percent", it.serve_percent);
  visit("per_call_ms", it.per_call_ms);
  visit("per_served_call_ms", it.per_served_call_ms);
}

template <typename Visitor>
void members(Visitor& visit, Like<Latency> auto& it) {
  visit("count", it.count);
  visit("min_ms", it.min_ms);
  visit("mean_ms", it.mean_ms);
  visit("p50_ms", it.p50_ms);
  visit("p90_ms", it.p90_ms);
  visit("p99_ms", it.p99_ms);
  visit("p999_ms", it.p999_ms);
  visit("max_ms", it.max_ms);
  visit("cv", it.cv);
}

template <typename Visitor>
void members(Visitor& visit, Like<OutcomeLatency> auto& it) {
  visit("count", it.count);
  visit("latency", it.latency);
  visit("first_text", it.first_text);
  visit("samples_ms", it.samples_ms);
}

template <typename Visitor>
void members(Visitor& visit, Like<Method> auto& it) {
  visit("method", it.method);
  visit("detail", it.detail);
  visit("sent", it.sent);
  visit("served", it.served);
  visit("refused", it.refused);
  visit("failed", it.failed);
  visit("hung", it.hung);
  visit("service", it.service);
  visit("lateness", it.lateness);
  visit("media", it.media);
  visit("reply_bytes", it.reply_bytes);
  visit("reply_wire_bytes", it.reply_wire_bytes);
  visit("wall_seconds", it.wall_seconds);
  visit("cpu_per_call_ms", it.cpu_per_call_ms);
}

template <typename Visitor>
void members(Visitor& visit, Like<Driver> auto& it) {
  visit("cpu_seconds", it.cpu_seconds);
  visit("busy_share", it.busy_share);
  visit("sampler_cpu_seconds", it.sampler_cpu_seconds);
  visit("standin_cpu_seconds", it.standin_cpu_seconds);
  visit("peak_mib", it.peak_mib);
  visit("connections_opened", it.connections_opened);
  visit("connection_resets_retried", it.connection_resets_retried);
  visit("notifications", it.notifications);
  visit("server_requests_answered", it.server_requests_answered);
}

template <typename Visitor>
void members(Visitor& visit, Like<Resources> auto& it) {
  visit("processes", it.processes);
  visit("threads", it.threads);
  visit("threads_peak", it.threads_peak);
  visit("descriptors", it.descriptors);
  visit("descriptors_peak", it.descriptors_peak);
  visit("sockets", it.sockets);
  visit("minor_faults", it.minor_faults);
  visit("major_faults", it.major_faults);
  visit("read_bytes", it.read_bytes);
  visit("written_bytes", it.written_bytes);
  visit("voluntary_switches", it.voluntary_switches);
  visit("involuntary_switches", it.involuntary_switches);
  visit("children_started", it.children_started);
  visit("orphaned", it.orphaned);
}

template <typename Visitor>
void members(Visitor& visit, Like<Process> auto& it) {
  visit("name", it.name);
  visit("command", it.command);
  visit("role", it.role);
  visit("resident_mib", it.resident_mib);
  visit("proportional_mib", it.proportional_mib);
  visit("threads", it.threads);
}

template <typename Visitor>
void members(Visitor& visit, Like<Standins> auto& it) {
  visit("upstream_requests", it.upstream_requests);
  visit("upstream_peak_in_flight", it.upstream_peak_in_flight);
  visit("otlp_requests", it.otlp_requests);
  visit("otlp_bytes", it.otlp_bytes);
}

template <typename Visitor>
void members(Visitor& visit, Like<WeatherReading> auto& it) {
  visit("lost_share", it.lost_share);
  visit("worst_gap_ms", it.worst_gap_ms);
}

template <typename Visitor>
void members(Visitor& visit, Like<Phase> auto& it) {
  visit("name", it.name);
  visit("begin_ms", it.begin_ms);
  visit("end_ms", it.end_ms);
}

template <typename Visitor>
void members(Visitor& visit, Like<Trace> auto& it) {
  visit("at_ms", it.at_ms);
  visit("resident_mib", it.resident_mib);
  visit("cpu_seconds", it.cpu_seconds);
  visit("threads", it.threads);
  visit("processes", it.processes);
}

template <typename Visitor>
void members(Visitor& visit, Like<Repeat> auto& it) {
  visit("number", it.number);
  visit("started_at", it.started_at);
  visit("startup", it.startup);
  visit("memory", it.memory);
  visit("ramp", it.ramp);
  visit("cpu", it.cpu);
  visit("resources", it.resources);
  visit("processes", it.processes);
  visit("methods", it.methods);
  visit("driver", it.driver);
  visit("standins", it.standins);
  visit("weather_before", it.weather_before);
  visit("weather_after", it.weather_after);
  visit("phases", it.phases);
  visit("trace", it.trace);
  visit("doubts", it.doubts);
}

}  // namespace weighbridge::record::detail
