#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace weighbridge::cli {

/// A server in the file of an MCP client.
struct ConfigWords {
  std::string file;
  std::string server;               ///< empty: the only one in the file
  std::vector<std::string> inputs;  ///< "id=value"
};

/// `weighbridge run`. Absent and empty mean that the words did not say.
struct RunWords {
  std::string plan;  ///< path
  std::vector<std::string> command;
  std::string url;
  ConfigWords config;
  std::optional<int> pid;
  std::vector<std::string> headers;  ///< "Name: value"
  /// "Header: value", "NAME=value" (a variable) or "?name=value" (a parameter of the url),
  /// {credential} inside.
  std::string credential;
  std::string bearer_env;  ///< name of a variable of ours that holds a bearer token
  std::string ca_file;
  std::string proxy;
  bool insecure = false;
  std::vector<std::string> env;  ///< "NAME=value"
  bool pipes = false;

  bool quick = false;
  std::string only;
  std::optional<int> rounds;
  std::optional<int> repeat;
  std::optional<int> clients;
  std::optional<int> parallel;
  std::optional<Duration> sample_interval;
  std::optional<Duration> ready_timeout;
  std::optional<Duration> call_timeout;
  std::string protocol;
  std::string tool;
  std::string arguments;
  std::string expect;

  std::string output;  ///< directory
  bool no_report = false;
  bool json = false;
  bool verbose = false;
};

enum class Format { terminal, markdown, json };

/// `weighbridge report`.
struct ReportWords {
  std::string record;            ///< path
  std::string output;            ///< directory; empty: standard output
  std::optional<Format> format;  ///< absent: terminal on standard output, Markdown into a directory
};

/// `weighbridge plan`.
struct PlanWords {
  std::string plan;  ///< path
  ConfigWords config;
  bool check = false;  ///< one line instead of the plan as understood
};

/// `--help`, `--version`: the text that was asked for.
struct Message {
  std::string text;
};

/// `weighbridge load`. Texts are read by cli/load_from_words.h.
struct LoadWords {
  RunWords run;  ///< the server, what it is called with, where the results go

  int credentials = 1;
  int threads = 1;
  std::string rate;
  std::string step;
  std::string profile;
  std::string until;
  bool poisson = false;
  bool per_credential = false;
  std::optional<Duration> duration;
  std::optional<std::uint64_t> requests;
  std::optional<Duration> think;
  std::string mix;
  bool alternate = false;
  std::string arguments_file;
  std::uint64_t seed = 1;
  std::uint32_t check_every = 64;
  std::optional<Duration> spin;
  bool no_spin = false;
  std::string driver_cpus;
  std::string target_cpus;
};

/// `weighbridge calibrate`.
struct CalibrateWords {
  bool quick = false;
  std::string only;    ///< glob of weights; empty: all
  std::string server;  ///< path of the reference server; empty: the one beside this program
  std::string output;  ///< directory
  bool no_report = false;
  bool json = false;
  bool verbose = false;
};

using Words = std::variant<Message, RunWords, ReportWords, PlanWords, LoadWords, CalibrateWords>;

/// Reads the command line without its first word. ErrorCode::usage, with the nearest flag or
/// command when one was mistyped.
Result<Words> read_words(const std::vector<std::string>& arguments);

}  // namespace weighbridge::cli
