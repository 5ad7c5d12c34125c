#pragma once

#include "record/detail/like.h"
#include "record/load_record.h"

namespace weighbridge::record::detail {

// The record of `weighbridge load`. See members.h.

template <typename Visitor>
void members(Visitor& visit, Like<LoadOperation> auto& it) {
  visit("method", it.method);
  visit("name", it.name);
  visit("weight", it.weight);
  visit("variants", it.variants);
  visit("expects", it.expects);
}

template <typename Visitor>
void members(Visitor& visit, Like<LoadSettings> auto& it) {
  visit("credentials", it.credentials);
  visit("parallel", it.parallel);
  visit("threads", it.threads);
  visit("arrivals", it.arrivals);
  visit("per_credential", it.per_credential);
  visit("think_ms", it.think_ms);
  visit("alternate", it.alternate);
  visit("call_timeout_seconds", it.call_timeout_seconds);
  visit("ready_timeout_seconds", it.ready_timeout_seconds);
  visit("spin_us", it.spin_us);
  visit("seed", it.seed);
  visit("check_every", it.check_every);
  visit("check_every_long", it.check_every_long);
  visit("until", it.until);
  visit("driver_cpus", it.driver_cpus);
  visit("target_cpus", it.target_cpus);
  visit("operations", it.operations);
  visit("inherited_env", it.inherited_env);
  visit("stripped_env", it.stripped_env);
}

template <typename Visitor>
void members(Visitor& visit, Like<LoadTrouble> auto& it) {
  visit("outcome", it.outcome);
  visit("operation", it.operation);
  visit("count", it.count);
  visit("first_text", it.first_text);
}

template <typename Visitor>
void members(Visitor& visit, Like<LoadOperationResult> auto& it) {
  visit("method", it.method);
  visit("name", it.name);
  visit("sent", it.sent);
  visit("served", it.served);
  visit("refused", it.refused);
  visit("failed", it.failed);
  visit("hung", it.hung);
  visit("checked_whole", it.checked_whole);
  visit("latency", it.latency);
  visit("reply_bytes", it.reply_bytes);
  visit("reply_wire_bytes", it.reply_wire_bytes);
  visit("media", it.media);
}

template <typename Visitor>
void members(Visitor& visit, Like<Quantile> auto& it) {
  visit("q", it.q);
  visit("ms", it.ms);
}

template <typename Visitor>
void members(Visitor& visit, Like<LoadThread> auto& it) {
  visit("cpu_seconds", it.cpu_seconds);
  visit("spin_seconds", it.spin_seconds);
  visit("busy_share", it.busy_share);
  visit("waited_share", it.waited_share);
}

template <typename Visitor>
void members(Visitor& visit, Like<LoadDriver> auto& it) {
  visit("cpu_seconds", it.cpu_seconds);
  visit("cpu_per_call_us", it.cpu_per_call_us);
  visit("spin_seconds", it.spin_seconds);
  visit("busy_share", it.busy_share);
  visit("waited_share", it.waited_share);
  visit("threads", it.threads);
  visit("peak_mib", it.peak_mib);
  visit("littles_law", it.littles_law);
  visit("connect_ms", it.connect_ms);
  visit("connections_opened", it.connections_opened);
  visit("connection_resets_retried", it.connection_resets_retried);
  visit("notifications", it.notifications);
  visit("server_requests", it.server_requests);
  visit("stray_messages", it.stray_messages);
}

template <typename Visitor>
void members(Visitor& visit, Like<LoadTarget> auto& it) {
  visit("cpu_seconds", it.cpu_seconds);
  visit("cpu_per_call_ms", it.cpu_per_call_ms);
  visit("cpu_percent", it.cpu_percent);
  visit("resident_mib", it.resident_mib);
  visit("peak_mib", it.peak_mib);
}

template <typename Visitor>
void members(Visitor& visit, Like<LoadStep> auto& it) {
  visit("name", it.name);
  visit("started_at", it.started_at);
  visit("offered_rate", it.offered_rate);
  visit("planned_seconds", it.planned_seconds);
  visit("real_seconds", it.real_seconds);
  visit("intended", it.intended);
  visit("sent", it.sent);
  visit("served", it.served);
  visit("refused", it.refused);
  visit("failed", it.failed);
  visit("hung", it.hung);
  visit("missed", it.missed);
  visit("overran", it.overran);
  visit("rate", it.rate);
  visit("rate_interval", it.rate_interval);
  visit("latency", it.latency);
  visit("p50_interval_ms", it.p50_interval_ms);
  visit("p99_interval_ms", it.p99_interval_ms);
  visit("refused_latency", it.refused_latency);
  visit("failed_latency", it.failed_latency);
  visit("hung_latency", it.hung_latency);
  visit("service", it.service);
  visit("first_event", it.first_event);
  visit("lateness", it.lateness);
  visit("slot_wait", it.slot_wait);
  visit("spectrum", it.spectrum);
  visit("tick_ms", it.tick_ms);
  visit("sent_per_tick", it.sent_per_tick);
  visit("served_per_tick", it.served_per_tick);
  visit("operations", it.operations);
  visit("troubles", it.troubles);
  visit("driver", it.driver);
  visit("target", it.target);
  visit("weather_before", it.weather_before);
  visit("weather_after", it.weather_after);
  visit("held", it.held);
  visit("doubts", it.doubts);
}

template <typename Visitor>
void members(Visitor& visit, Like<LoadVerdict> auto& it) {
  visit("condition", it.condition);
  visit("held_rate", it.held_rate);
  visit("broke_rate", it.broke_rate);
}

template <typename Visitor>
void members(Visitor& visit, Like<LoadRecord> auto& it) {
  visit("schema", it.schema);
  visit("mode", it.mode);
  visit("name", it.name);
  visit("generated_at", it.generated_at);
  visit("status", it.status);
  visit("broke_off_because", it.broke_off_because);
  visit("build", it.build);
  visit("host", it.host);
  visit("accuracy", it.accuracy);
  visit("settings", it.settings);
  visit("plan_toml", it.plan_toml);
  visit("server", it.server);
  visit("steps", it.steps);
  visit("verdict", it.verdict);
  visit("doubts", it.doubts);
}

}  // namespace weighbridge::record::detail
