#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/accuracy.h"
#include "record/doubt.h"
#include "record/scenario.h"

namespace weighbridge::record {

/// The program that measured.
struct Build {
  std::string version;
  std::string commit;  ///< empty outside a checkout
  std::string compiler;
  std::string build_type;
};

struct Host {
  std::string cpu_model;
  std::optional<double> cpu_mhz;
  int logical_cpus = 0;
  double memory_gib = 0;
  std::string disk_kind;
  std::string file_system;
  std::string kernel;
  std::string distribution;
  std::string architecture;
  std::string governor;
  std::optional<double> load_average_1m;  ///< at start
};

struct Settings {
  int rounds = 0;
  int repeat = 0;
  int stdio_clients = 0;
  int http_clients = 0;
  double sample_interval_ms = 0;
  double call_timeout_seconds = 0;
  double first_list_timeout_seconds = 0;
  double ready_timeout_seconds = 0;
  bool quick = false;
  std::string only;                        ///< glob of scenario ids; empty: all
  std::vector<std::string> driver_cpus;    ///< placement as printed; empty: anywhere
  std::vector<std::string> inherited_env;  ///< names only
  std::vector<std::string> stripped_env;   ///< names only
};

/// A variant of the target as a caller meets it, seen by a process of its own before the
/// measurement.
struct Server {
  std::string transport;
  std::string variant;
  std::string name;
  std::string title;
  std::string version;
  std::string revision;  ///< spoken in this run
  std::vector<std::string> revisions_offered;
  std::vector<std::string> capabilities;
  std::string era_evidence;
  std::uint64_t instructions_bytes = 0;
  std::uint64_t tools = 0;
  std::uint64_t resources = 0;
  std::uint64_t list_pages = 0;
  std::uint64_t list_bytes = 0;       ///< tools/list, JSON-RPC messages of all pages
  std::uint64_t list_wire_bytes = 0;  ///< with SSE framing
  std::string tool;                   ///< what tools/call calls; empty: left out
  bool tool_chosen = false;           ///< not named by the plan
  std::vector<std::string> command;   ///< redacted
};

enum class Status { complete, interrupted, broke_off };
std::string_view to_string(Status status);
/// False, and `status` untouched, for a text that to_string does not give.
bool from_string(std::string_view text, Status& status);

/// What a run saw. Everything published is drawn from this and from nothing else.
struct Record {
  int schema = 1;
  std::string mode = "run";
  std::string name;
  std::string generated_at;  ///< RFC 3339, UTC
  Status status = Status::complete;
  std::string broke_off_because;  ///< empty when complete
  Build build;
  Host host;
  /// Of the same host and build; absent when it was never calibrated.
  std::optional<Accuracy> accuracy;
  Settings settings;
  std::string plan_toml;  ///< the plan as understood, secrets removed
  std::vector<Server> servers;
  std::vector<Scenario> scenarios;
  std::vector<Doubt> doubts;  ///< of the run as a whole
};

}  // namespace weighbridge::record
