#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/record.h"

namespace weighbridge::record {

/// One thing that callers asked for.
struct LoadOperation {
  std::string method;
  std::string name;  ///< of the tool; empty where there is none
  double weight = 1;
  std::uint64_t variants = 1;  ///< sets of arguments, taken in turn
  std::string expects;         ///< in words; empty: any result will do
};

/// What was asked for, the same for every step.
struct LoadSettings {
  int credentials = 0;
  int parallel = 0;      ///< slots of every credential
  int threads = 0;       ///< of the driver
  std::string arrivals;  ///< "closed", "constant" or "poisson"
  bool per_credential = false;
  double think_ms = 0;
  bool alternate = false;
  double call_timeout_seconds = 0;
  double ready_timeout_seconds = 0;
  double spin_us = 0;
  std::uint64_t seed = 0;
  std::uint64_t check_every = 0;
  std::uint64_t check_every_long = 0;  ///< the same for replies above 64 KiB
  std::string until;                   ///< condition that ends the search; empty: none
  std::string driver_cpus;             ///< as in "0-2,5"; empty: any
  std::string target_cpus;
  std::vector<LoadOperation> operations;
  std::vector<std::string> inherited_env;  ///< names only
  std::vector<std::string> stripped_env;   ///< names only
};

/// A kind of trouble, with the first words that told of it.
struct LoadTrouble {
  std::string outcome;  ///< "refused", "failed", "hung"
  std::string operation;
  std::uint64_t count = 0;
  std::string first_text;  ///< redacted
};

/// One operation of one step.
struct LoadOperationResult {
  std::string method;
  std::string name;
  std::uint64_t sent = 0;
  std::uint64_t served = 0;
  std::uint64_t refused = 0;
  std::uint64_t failed = 0;
  std::uint64_t hung = 0;
  std::uint64_t checked_whole = 0;
  std::optional<Latency> latency{};  ///< served, done - due
  std::optional<double> reply_bytes{};
  std::optional<double> reply_wire_bytes{};
  std::string media{};  ///< "stdio", "json", "sse" or "json+sse"
};

/// A point of a distribution: a value that was observed.
struct Quantile {
  double q = 0;
  double ms = 0;
};

/// What a thread of the driver cost and how well it kept its word.
struct LoadThread {
  double cpu_seconds = 0;
  double spin_seconds = 0;  ///< of it, spent asking for a due instant to come
  double busy_share = 0;    ///< of its core, spinning apart
  double waited_share = 0;  ///< of the time, ready to run while something else had the core
};

struct LoadDriver {
  double cpu_seconds = 0;
  std::optional<double> cpu_per_call_us;  ///< spinning apart
  double spin_seconds = 0;
  double busy_share = 0;  ///< of the busiest thread's core, spinning apart
  double waited_share = 0;
  std::vector<LoadThread> threads;
  std::optional<double> peak_mib;
  std::optional<double> littles_law;  ///< sum of service times / calls in flight over time: 1
  double connect_ms = 0;              ///< to open all connections, before the first step
  std::uint64_t connections_opened = 0;
  std::uint64_t connection_resets_retried = 0;
  std::uint64_t notifications = 0;
  std::uint64_t server_requests = 0;
  std::uint64_t stray_messages = 0;
};

/// What the step cost the target. Absent where nothing was sampled.
struct LoadTarget {
  double cpu_seconds = 0;
  std::optional<double> cpu_per_call_ms;  ///< per completed call
  double cpu_percent = 0;                 ///< of one core
  double resident_mib = 0;                ///< at the step's end
  double peak_mib = 0;                    ///< largest sampled
};

/// One phase of load.
struct LoadStep {
  std::string name;
  std::string started_at;
  std::optional<double> offered_rate;     ///< open loop: calls due a second
  std::optional<double> planned_seconds;  ///< absent when a number of calls was asked for
  double real_seconds = 0;
  std::optional<std::uint64_t> intended;  ///< open loop: sent + missed
  std::uint64_t sent = 0;
  std::uint64_t served = 0;
  std::uint64_t refused = 0;
  std::uint64_t failed = 0;
  std::uint64_t hung = 0;
  std::uint64_t missed = 0;
  std::uint64_t overran = 0;
  double rate = 0;  ///< served a second
  std::optional<stats::Interval> rate_interval;
  std::optional<Latency> latency;  ///< served, done - due
  std::optional<stats::Interval> p50_interval_ms;
  std::optional<stats::Interval> p99_interval_ms;
  std::optional<Latency> refused_latency;
  std::optional<Latency> failed_latency;
  std::optional<Latency> hung_latency;
  std::optional<Latency> service;      ///< served, done - sent
  std::optional<Latency> first_event;  ///< served, from the send
  std::optional<Latency> lateness;     ///< sent - due, calls that had a free slot
  std::optional<Latency> slot_wait;    ///< sent - due, calls that had none
  std::vector<Quantile> spectrum;      ///< of `latency`
  double tick_ms = 0;
  std::vector<std::uint64_t> sent_per_tick;
  std::vector<std::uint64_t> served_per_tick;
  std::vector<LoadOperationResult> operations;
  std::vector<LoadTrouble> troubles;
  LoadDriver driver;
  std::optional<LoadTarget> target;
  std::optional<WeatherReading> weather_before;
  std::optional<WeatherReading> weather_after;
  std::optional<bool> held;  ///< in a search: the condition did not come true
  std::vector<Doubt> doubts;
};

/// What a search for the highest rate found.
struct LoadVerdict {
  std::string condition;
  std::optional<double> held_rate;   ///< highest that held
  std::optional<double> broke_rate;  ///< lowest that did not
};

/// `weighbridge load`: the record of one server under loads of the user's choice.
struct LoadRecord {
  int schema = 1;
  std::string mode = "load";
  std::string name;
  std::string generated_at;  ///< RFC 3339, UTC
  Status status = Status::complete;
  std::string broke_off_because;  ///< empty when complete
  Build build;
  Host host;
  /// Of the same host and build; absent when it was never calibrated.
  std::optional<Accuracy> accuracy;
  LoadSettings settings;
  std::string plan_toml;  ///< the plan as understood, secrets removed
  std::optional<Server> server;
  std::vector<LoadStep> steps;
  std::optional<LoadVerdict> verdict;
  std::vector<Doubt> doubts;  ///< of the run as a whole
};

}  // namespace weighbridge::record
