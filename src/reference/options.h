#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "reference/caller_pool.h"
#include "reference/credential.h"
#include "reference/listing.h"
#include "reference/weight_plan.h"
#include "transport/url.h"

namespace weighbridge::reference {

/// An address to listen on.
struct Endpoint {
  std::string address;
  std::uint16_t port = 0;  ///< 0: a free one
};

/// Everything the words and the environment say.
struct Options {
  Surface surface = Surface::dynamic;
  std::optional<Endpoint> http;  ///< absent: stdio
  std::optional<Endpoint> stats;
  bool allow_remote = false;

  transport::Url upstream;
  std::string upstream_ca_file;
  Duration upstream_timeout = 30s;
  std::size_t upstream_connections = 0;  ///< 0: as many as calls may be held
  Credential own_credential;             ///< from GITLAB_TOKEN

  CallerPool::Settings callers;
  std::size_t held_calls = 0;  ///< that wait for GitLab at once; 0: what the descriptors allow
  std::size_t sessions = 0;    ///< at once; 0: half as many
  bool verify = false;         ///< ask GitLab who a new credential is before serving it

  bool stateless = true;
  Duration session_timeout = 30min;
  bool json_response = true;
  std::size_t page_size = 0;  ///< tools on a page; 0: all

  WeightPlan weights;
  bool stats_delays = false;

  bool telemetry = false;
  std::string otlp_endpoint;
  Duration otlp_trace_interval = 5s;
  Duration otlp_metric_interval = 60s;
  Duration otlp_log_interval = 1s;
  std::string otlp_service_name;

  bool fixtures = false;

  bool help = false;
  bool version = false;
};

/// `words` without the program's name. `environment(name)`: the variable's value or nullptr.
/// ErrorCode::usage, with the nearest flag, for a word that is not known.
Result<Options> read_options(std::span<const std::string_view> words,
                             const char* (*environment)(const char*));

std::string help_text();

}  // namespace weighbridge::reference
