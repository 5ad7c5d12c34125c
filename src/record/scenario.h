#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/doubt.h"
#include "stats/interval.h"

namespace weighbridge::record {

/// Least-squares slope with its interval; absent under three points.
struct Slope {
  double per_unit = 0;
  double low = 0;
  double high = 0;
  double confidence = 0;
  std::uint64_t points = 0;
};

/// Resident (and, where read, proportional and private-dirty) memory at one moment of the tree.
struct MemoryMoment {
  double resident_mib = 0;
  std::optional<double> proportional_mib;
  std::optional<double> private_dirty_mib;
  bool settled = true;
};

struct Memory {
  std::optional<MemoryMoment> idle;  ///< HTTP: ready, nobody attached
  std::optional<MemoryMoment> one_client;
  std::optional<MemoryMoment> all_clients;
  std::optional<MemoryMoment> after_load;  ///< settled
  std::optional<double>
      peak_mib;  ///< the one to quote: high-water mark for one process, else largest sampled sum
  std::optional<double> peak_high_water_mib;  ///< sum of the kernel's marks over the load phase
  std::optional<double> peak_sampled_mib;     ///< largest sampled sum of the load phase
  std::optional<Slope> per_extra_client_mib;
};

struct RampPoint {
  int client = 0;  ///< 1-based
  double first_list_ms = 0;
  double resident_mib = 0;
  bool settled = true;
};

struct Startup {
  std::optional<double> process_ready_ms;
  std::optional<double> first_list_ms;
  std::optional<double>
      open_ms;  ///< connect and handshake of the first client; absent in stateless eras
};

struct Cpu {
  double build_seconds = 0;  ///< spawn until the first listing was answered
  double ramp_seconds = 0;
  double serve_seconds = 0;
  double total_seconds = 0;
  double user_seconds = 0;
  double system_seconds = 0;
  std::optional<double> serve_percent;  ///< of one core over the load phase
  std::optional<double> per_call_ms;    ///< per completed call
  std::optional<double> per_served_call_ms;
};

/// Latencies of one outcome. p99 only from 100 samples, p99.9 from 1000 (method.md, "Percentiles").
struct Latency {
  std::uint64_t count = 0;
  double min_ms = 0;
  double mean_ms = 0;
  double p50_ms = 0;
  std::optional<double> p90_ms{};  ///< from 10 samples
  std::optional<double> p99_ms{};
  std::optional<double> p999_ms{};
  double max_ms = 0;
  std::optional<double> cv{};
};

struct OutcomeLatency {
  std::uint64_t count = 0;
  std::optional<Latency> latency;  ///< done - due
  std::string first_text;          ///< why, for refused, failed and hung; redacted
  std::vector<double> samples_ms;  ///< done - due, in order of completion
};

/// One method of the load phase.
struct Method {
  std::string method;
  std::string detail;  ///< tool name, or what the listing is
  std::uint64_t sent = 0;
  OutcomeLatency served;
  OutcomeLatency refused;
  OutcomeLatency failed;
  OutcomeLatency hung;
  std::optional<Latency> service;            ///< served calls, done - sent
  std::optional<Latency> lateness;           ///< sent - due, all calls
  std::string media;                         ///< "stdio", "json", "sse" or "json+sse"
  std::optional<std::uint64_t> reply_bytes;  ///< median message of served replies
  std::optional<std::uint64_t> reply_wire_bytes;
  double wall_seconds = 0;                ///< sum over rounds, barrier release to last completion
  std::optional<double> cpu_per_call_ms;  ///< target's CPU while this method ran / completed calls
};

struct Driver {
  double cpu_seconds = 0;  ///< load thread, load phase
  double busy_share = 0;   ///< of the cores given to it, load phase
  double sampler_cpu_seconds = 0;
  double standin_cpu_seconds = 0;
  double peak_mib =
      0;  ///< resident set, load phase; since its start where the mark cannot be reset
  std::uint64_t connections_opened = 0;
  std::uint64_t connection_resets_retried = 0;
  std::uint64_t notifications = 0;
  std::uint64_t server_requests_answered = 0;
};

/// Readings of the whole tree that are neither memory nor latency.
struct Resources {
  std::uint64_t processes = 0;  ///< with all clients attached
  std::uint64_t threads = 0;    ///< with all clients attached
  std::uint64_t threads_peak = 0;
  std::optional<std::uint64_t> descriptors;
  std::optional<std::uint64_t> descriptors_peak;
  std::map<std::string, std::uint64_t> sockets;  ///< by TCP state, with all clients attached
  std::uint64_t minor_faults = 0;                ///< whole repeat
  std::uint64_t major_faults = 0;
  std::optional<std::uint64_t> read_bytes;
  std::optional<std::uint64_t> written_bytes;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
  std::uint64_t children_started = 0;  ///< processes seen beyond the ones launched
  std::uint64_t orphaned = 0;
};

struct Process {
  std::string name;
  std::string command;  ///< redacted
  std::string role;     ///< "launcher" (npx, uv, a shell: has children, is not a leaf) or "server"
  double resident_mib = 0;  ///< with all clients attached
  std::optional<double> proportional_mib;
  std::uint64_t threads = 0;
};

struct Standins {
  std::optional<std::uint64_t> upstream_requests;  ///< load phase
  std::optional<std::uint64_t> upstream_peak_in_flight;
  std::map<std::string, std::uint64_t> otlp_requests;  ///< by signal
  std::map<std::string, std::uint64_t> otlp_bytes;
};

struct WeatherReading {
  double lost_share = 0;
  double worst_gap_ms = 0;
};

struct Phase {
  std::string name;     ///< start, idle, ramp, load, after
  double begin_ms = 0;  ///< from just before spawn
  double end_ms = 0;
};

/// The sampler's readings, column by column; all columns have the length of at_ms.
struct Trace {
  std::vector<double> at_ms;
  std::vector<double> resident_mib;
  std::vector<double> cpu_seconds;
  std::vector<std::uint64_t> threads;
  std::vector<std::uint64_t> processes;
};

/// One run of one scenario.
struct Repeat {
  int number = 0;  ///< 1-based
  std::string started_at;
  Startup startup;
  Memory memory;
  std::vector<RampPoint> ramp;
  Cpu cpu;
  Resources resources;
  std::vector<Process> processes;
  std::vector<Method> methods;
  Driver driver;
  Standins standins;
  std::optional<WeatherReading> weather_before;
  std::optional<WeatherReading> weather_after;
  std::vector<Phase> phases;
  Trace trace;
  std::vector<Doubt> doubts;
};

/// One method over all repeats: samples pooled, intervals by order statistics.
struct MethodSummary {
  std::string method;
  std::string detail;
  std::uint64_t sent = 0;
  std::uint64_t served = 0;
  std::uint64_t refused = 0;
  std::uint64_t failed = 0;
  std::uint64_t hung = 0;
  std::optional<Latency> latency;  ///< served, pooled
  std::optional<stats::Interval> p50_interval_ms;
  std::optional<stats::Interval> p90_interval_ms;
  std::optional<stats::Interval> p99_interval_ms;
  std::optional<Latency> lateness;
  std::string first_refusal;
  std::string first_failure;
};

/// The figures to quote: medians of the repeats with the interval their number allows.
struct Summary {
  std::optional<stats::Estimate> process_ready_ms;
  std::optional<stats::Estimate> first_list_ms;
  std::optional<stats::Estimate> warm_list_ms;  ///< p50 of the load phase's tools/list
  std::optional<stats::Estimate> idle_mib;
  std::optional<stats::Estimate> one_client_mib;
  std::optional<stats::Estimate> all_clients_mib;
  std::optional<stats::Estimate> all_clients_proportional_mib;
  std::optional<stats::Estimate> per_extra_client_mib;
  std::optional<stats::Estimate> peak_mib;
  std::optional<stats::Estimate> after_load_mib;
  std::optional<stats::Estimate> threads;
  std::optional<stats::Estimate> descriptors;
  std::optional<stats::Estimate> processes;
  std::optional<stats::Estimate> build_cpu_seconds;
  std::optional<stats::Estimate> serve_cpu_seconds;
  std::optional<stats::Estimate> serve_percent;
  std::optional<stats::Estimate> cpu_per_call_ms;
  std::optional<stats::Estimate> driver_cpu_seconds;
  std::vector<MethodSummary> methods;
};

/// One combination of transport, variant and telemetry.
struct Scenario {
  std::string id;         ///< "http-dynamic-telemetry"
  std::string transport;  ///< "stdio" or "http"
  std::string variant;
  bool telemetry = false;
  int clients = 0;
  int parallel = 0;
  int rounds = 0;
  std::string channel;  ///< "socketpair", "pipe", "tcp"
  std::vector<Repeat> repeats;
  Summary summary;  ///< over the repeats there are
};

}  // namespace weighbridge::record
