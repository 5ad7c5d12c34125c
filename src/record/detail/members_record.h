#pragma once

#include "record/detail/like.h"
#include "record/doubt.h"
#include "record/record.h"

namespace weighbridge::record::detail {

// The record as a whole and what it says of the run. See members.h.

template <typename Visitor>
void members(Visitor& visit, Like<Doubt> auto& it) {
  visit("kind", it.kind);
  visit("where", it.where);
  visit("message", it.message);
  visit("advice", it.advice);
}

template <typename Visitor>
void members(Visitor& visit, Like<Build> auto& it) {
  visit("version", it.version);
  visit("commit", it.commit);
  visit("compiler", it.compiler);
  visit("build_type", it.build_type);
}

template <typename Visitor>
void members(Visitor& visit, Like<Host> auto& it) {
  visit("cpu_model", it.cpu_model);
  visit("cpu_mhz", it.cpu_mhz);
  visit("logical_cpus", it.logical_cpus);
  visit("memory_gib", it.memory_gib);
  visit("disk_kind", it.disk_kind);
  visit("file_system", it.file_system);
  visit("kernel", it.kernel);
  visit("distribution", it.distribution);
  visit("architecture", it.architecture);
  visit("governor", it.governor);
  visit("load_average_1m", it.load_average_1m);
}

template <typename Visitor>
void members(Visitor& visit, Like<Settings> auto& it) {
  visit("rounds", it.rounds);
  visit("repeat", it.repeat);
  visit("stdio_clients", it.stdio_clients);
  visit("http_clients", it.http_clients);
  visit("sample_interval_ms", it.sample_interval_ms);
  visit("call_timeout_seconds", it.call_timeout_seconds);
  visit("first_list_timeout_seconds", it.first_list_timeout_seconds);
  visit("ready_timeout_seconds", it.ready_timeout_seconds);
  visit("quick", it.quick);
  visit("only", it.only);
  visit("driver_cpus", it.driver_cpus);
  visit("inherited_env", it.inherited_env);
  visit("stripped_env", it.stripped_env);
}

template <typename Visitor>
void members(Visitor& visit, Like<Server> auto& it) {
  visit("transport", it.transport);
  visit("variant", it.variant);
  visit("name", it.name);
  visit("title", it.title);
  visit("version", it.version);
  visit("revision", it.revision);
  visit("revisions_offered", it.revisions_offered);
  visit("capabilities", it.capabilities);
  visit("era_evidence", it.era_evidence);
  visit("instructions_bytes", it.instructions_bytes);
  visit("tools", it.tools);
  visit("resources", it.resources);
  visit("list_pages", it.list_pages);
  visit("list_bytes", it.list_bytes);
  visit("list_wire_bytes", it.list_wire_bytes);
  visit("tool", it.tool);
  visit("tool_chosen", it.tool_chosen);
  visit("command", it.command);
}

template <typename Visitor>
void members(Visitor& visit, Like<Record> auto& it) {
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
  visit("servers", it.servers);
  visit("scenarios", it.scenarios);
  visit("doubts", it.doubts);
}

}  // namespace weighbridge::record::detail
