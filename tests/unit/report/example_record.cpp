#include "example_record.h"

#include <algorithm>

namespace weighbridge::report {
namespace {

using namespace record;

stats::Estimate repeated(double low, double middle, double high) {
  return {.value = middle,
          .interval = stats::Interval{.low = low, .high = high, .confidence = 0.75},
          .n = 3};
}

stats::Estimate single(double value) {
  return {.value = value, .interval = std::nullopt, .n = 1};
}

Latency latency(std::uint64_t count, double p50, double p90, std::optional<double> p99,
                double max) {
  Latency figures;
  figures.count = count;
  figures.min_ms = p50 / 2;
  figures.mean_ms = p50 * 1.1;
  figures.p50_ms = p50;
  figures.p90_ms = p90;
  figures.p99_ms = p99;
  figures.max_ms = max;
  return figures;
}

MethodSummary method(std::string name, std::string detail, std::uint64_t served, double p50) {
  MethodSummary summary;
  summary.method = std::move(name);
  summary.detail = std::move(detail);
  summary.sent = served;
  summary.served = served;
  summary.latency = latency(served, p50, p50 * 1.5,
                            served >= 100 ? std::optional(p50 * 2.5) : std::nullopt, p50 * 3);
  summary.p50_interval_ms =
      stats::Interval{.low = p50 * 0.98, .high = p50 * 1.03, .confidence = 0.953};
  summary.p90_interval_ms =
      stats::Interval{.low = p50 * 1.4, .high = p50 * 1.6, .confidence = 0.951};
  summary.lateness = latency(served, 0.004, 0.009, 0.021, 0.35);
  return summary;
}

Build build() {
  return {"0.1.0", "a8963e7", "g++ 12.2.0", "RelWithDebInfo"};
}

Host host() {
  Host facts;
  facts.cpu_model = "Intel(R) Core(TM) i5-14400";
  facts.cpu_mhz = 2500;
  facts.logical_cpus = 16;
  facts.memory_gib = 62.52;
  facts.disk_kind = "ssd";
  facts.file_system = "ext4";
  facts.kernel = "6.1.0-18-amd64";
  facts.distribution = "Debian GNU/Linux 12 (bookworm)";
  facts.architecture = "x86_64";
  facts.governor = "performance";
  facts.load_average_1m = 0.21;
  return facts;
}

Settings settings() {
  Settings values;
  values.rounds = 3;
  values.repeat = 3;
  values.stdio_clients = 8;
  values.http_clients = 64;
  values.sample_interval_ms = 100;
  values.call_timeout_seconds = 60;
  values.first_list_timeout_seconds = 300;
  values.ready_timeout_seconds = 60;
  values.inherited_env = {"HOME", "LANG", "PATH"};
  values.stripped_env = {"GITLAB_TOKEN"};
  return values;
}

Server server(std::string transport, std::string variant) {
  Server seen;
  seen.transport = std::move(transport);
  seen.variant = std::move(variant);
  seen.name = "ticket-gateway";
  seen.title = "Tickets";
  seen.version = "2.7.6";
  seen.revision = "2025-11-25";
  seen.revisions_offered = {"2025-11-25"};
  seen.capabilities = {"resources", "tools"};
  seen.era_evidence = "initialize answered";
  seen.instructions_bytes = 1840;
  seen.tools = 2;
  seen.resources = 1;
  seen.list_pages = 1;
  seen.list_bytes = 12'204;
  seen.list_wire_bytes = 12'260;
  seen.tool = "find_ticket";
  seen.command = {"npx", "-y", "ticket-gateway", "--token=***", "--note=it's a | bar"};
  return seen;
}

Process process(std::string name, std::string command, std::string role, double resident,
                double proportional, std::uint64_t threads) {
  return {std::move(name), std::move(command), std::move(role), resident, proportional, threads};
}

Repeat repeat(int number, double scale) {
  Repeat values;
  values.number = number;
  values.started_at = "2026-09-06T08:24:43Z";
  values.cpu.build_seconds = 0.82 * scale;
  values.cpu.ramp_seconds = 1.1 * scale;
  values.cpu.serve_seconds = 9.4 * scale;
  values.cpu.total_seconds = 11.32 * scale;
  values.cpu.user_seconds = 9.1 * scale;
  values.cpu.system_seconds = 2.22 * scale;
  values.cpu.serve_percent = 974 * scale;
  values.cpu.per_call_ms = 7.64 * scale;
  values.cpu.per_served_call_ms = 7.9 * scale;
  values.resources.processes = 9;
  values.resources.threads = 132;
  values.resources.threads_peak = 140;
  values.resources.descriptors = 88;
  values.resources.descriptors_peak = 96;
  values.resources.sockets = {{"ESTABLISHED", 64}, {"LISTEN", 1}, {"TIME_WAIT", 0}};
  values.resources.minor_faults = 48'211;
  values.resources.major_faults = 0;
  values.resources.read_bytes = 1'240'000;
  values.resources.voluntary_switches = 5512;
  values.resources.involuntary_switches = 81;
  values.resources.children_started = 8;
  values.processes = {
      process("npx", "npm exec ticket-gateway", "launcher", 62.4, 30.1, 11),
      process("node", "node ticket-gateway --token=***", "server", 106.2, 48.7, 11),
      process("node", "node ticket-gateway --token=***", "server", 105.8, 48.3, 11)};
  values.driver.cpu_seconds = 0.31 * scale;
  values.driver.busy_share = 0.124 * scale;
  values.driver.sampler_cpu_seconds = 0.011;
  values.driver.standin_cpu_seconds = 0.042;
  values.driver.peak_mib = 14.2;
  values.driver.connections_opened = 256;
  values.driver.notifications = 3;
  return values;
}

Scenario scenario(std::string transport, std::string variant, bool telemetry, int clients) {
  Scenario values;
  values.id = transport + "-" + variant + (telemetry ? "-telemetry" : "");
  values.transport = std::move(transport);
  values.variant = std::move(variant);
  values.telemetry = telemetry;
  values.clients = clients;
  values.parallel = 4;
  values.rounds = 3;
  values.channel = values.transport == "http" ? "tcp" : "socketpair";
  return values;
}

Summary stdio_summary() {
  Summary summary;
  summary.process_ready_ms = repeated(0.241, 0.262, 0.301);
  summary.first_list_ms = repeated(338, 351, 360);
  summary.warm_list_ms = repeated(1.81, 1.94, 2.02);
  summary.one_client_mib = repeated(105.2, 106.1, 107.9);
  summary.all_clients_mib = repeated(846, 849.3, 851);
  summary.all_clients_proportional_mib = repeated(388, 390.2, 391);
  summary.per_extra_client_mib = repeated(105.8, 106.2, 106.4);
  summary.peak_mib = repeated(981, 995.4, 1004);
  summary.after_load_mib = repeated(902, 911, 917);
  summary.threads = repeated(132, 132, 132);
  summary.descriptors = repeated(88, 88, 90);
  summary.serve_percent = repeated(1010, 1039, 1055);
  summary.cpu_per_call_ms = repeated(7.5, 7.64, 7.7);
  summary.methods = {method("resources/list", "smallest listing", 288, 0.651),
                     method("tools/call", "find_ticket", 288, 30.4),
                     method("tools/list", "whole surface", 288, 1.94)};
  return summary;
}

Summary http_summary() {
  Summary summary = stdio_summary();
  summary.process_ready_ms = repeated(51, 59.3, 61);
  summary.idle_mib = repeated(34.8, 35.2, 35.3);
  summary.per_extra_client_mib = repeated(-0.53, 0.0213, 0.57);
  MethodSummary& call = summary.methods[1];
  call.sent = 2304;
  call.served = 2292;
  call.refused = 9;
  call.failed = 3;
  call.first_refusal = "429: slow down | please";
  call.first_failure = "isError: \x1b[31m<b>`upstream`</b>\x1b[0m gone\nretry later";
  MethodSummary& list = summary.methods[2];
  list.sent = 40;
  list.served = 0;
  list.hung = 40;
  list.latency.reset();
  list.p50_interval_ms.reset();
  list.p90_interval_ms.reset();
  return summary;
}

}  // namespace

Record whole_record() {
  Record run;
  run.name = "tickets";
  run.generated_at = "2026-09-06T08:24:43Z";
  run.build = build();
  run.host = host();
  run.accuracy = record::Accuracy{.calibrated_at = "2026-09-06T07:00:00Z",
                                  .memory_percent = 0.6,
                                  .cpu_percent = 1.1,
                                  .p99_us = 90,
                                  .weights = 20,
                                  .weights_within = 20};
  run.settings = settings();
  run.plan_toml = "schema = 1\nname = \"tickets\"\n\n[run]\nrounds = 3\n";
  run.servers = {server("stdio", "dynamic"), server("http", "dynamic")};
  run.servers[1].tool_chosen = true;
  run.scenarios = {scenario("stdio", "dynamic", false, 8), scenario("http", "dynamic", false, 64),
                   scenario("http", "dynamic", true, 64)};
  for (Scenario& weighed : run.scenarios) {
    weighed.repeats = {repeat(1, 0.98), repeat(2, 1.0), repeat(3, 1.03)};
    for (Repeat& each : weighed.repeats) {
      each.startup.open_ms = 4.1;
      each.weather_before = WeatherReading{0.004, 3.1};
      each.weather_after = WeatherReading{0.012, 0.8};
    }
  }
  run.scenarios[0].summary = stdio_summary();
  run.scenarios[1].summary = http_summary();
  run.scenarios[2].summary = http_summary();
  for (Repeat& telemetered : run.scenarios[2].repeats) {
    telemetered.standins.upstream_requests = 2304;
    telemetered.standins.upstream_peak_in_flight = 61;
    telemetered.standins.otlp_requests = {{"metrics", 4}, {"traces", 12}};
    telemetered.standins.otlp_bytes = {{"metrics", 9120}, {"traces", 184'220}};
  }
  const std::string advice = "Give the driver a core of its own, or ask for fewer clients.";
  run.scenarios[1].repeats[0].doubts.push_back({DoubtKind::driver_limited,
                                                "http-dynamic, repeat 1, load",
                                                "the driver used 86 % of its core", advice});
  run.scenarios[1].repeats[2].doubts.push_back({DoubtKind::driver_limited,
                                                "http-dynamic, repeat 3, load",
                                                "the driver used 84 % of its core", advice});
  run.doubts.push_back({DoubtKind::missing_source, "",
                        "smaps_rollup of a *setuid* process was refused", "Run as its user."});
  return run;
}

Record interrupted_record() {
  Record run = whole_record();
  run.status = Status::interrupted;
  run.broke_off_because = "interrupted";
  run.doubts.clear();
  run.scenarios[0].repeats.resize(1);
  for (std::size_t i = 1; i < run.scenarios.size(); ++i) {
    run.scenarios[i].repeats.clear();
    run.scenarios[i].summary = {};
  }
  return run;
}

Record quick_record() {
  Record run;
  run.name = "server-memory";
  run.generated_at = "2026-09-06T08:24:43Z";
  run.build = build();
  run.build.commit.clear();
  run.host = host();
  run.settings = settings();
  run.settings.quick = true;
  run.settings.rounds = 1;
  run.settings.repeat = 1;
  run.settings.stdio_clients = 2;
  run.settings.http_clients = 2;
  run.servers = {server("stdio", "default")};
  run.servers[0].tool.clear();
  run.servers[0].command = {"server-memory"};
  run.scenarios = {scenario("stdio", "default", false, 2)};
  Scenario& weighed = run.scenarios[0];
  weighed.id = "stdio";
  weighed.repeats = {repeat(1, 0.1)};
  weighed.repeats[0].memory.per_extra_client_mib = Slope{61.2, 60.1, 62.3, 0.95, 3};
  weighed.summary.first_list_ms = single(351);
  weighed.summary.one_client_mib = single(61.4);
  weighed.summary.all_clients_mib = single(122.7);
  weighed.summary.per_extra_client_mib = single(61.2);
  weighed.summary.methods = {method("tools/list", "whole surface", 4, 1.94)};
  weighed.summary.methods[0].p50_interval_ms.reset();
  weighed.summary.methods[0].p90_interval_ms.reset();
  weighed.summary.methods[0].latency->p90_ms.reset();
  run.doubts.push_back({DoubtKind::no_tool, "", "no tool is read-only and free of arguments",
                        "Name one with --tool."});
  return run;
}

}  // namespace weighbridge::report
