#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace weighbridge::plan {

/// What a served reply must contain (method.md, "Checking a reply").
struct Expectation {
  std::string contains{};
  std::optional<std::uint64_t> min_bytes{};
  std::optional<std::uint64_t> max_bytes{};
  std::optional<std::string> equals{};   ///< the first text of the content
  std::string pointer{};                 ///< RFC 6901, into the result
  std::string value{};                   ///< JSON that stands there
  std::optional<std::uint64_t> count{};  ///< elements there
  bool same_result = false;              ///< as the first reply's

  bool operator==(const Expectation&) const = default;
};

/// A reply that counts as refused: every member given must match.
struct RefusalRule {
  std::optional<int> status;         ///< HTTP
  std::optional<std::int64_t> code;  ///< JSON-RPC
  std::optional<bool> is_error;
  std::string text_prefix;

  bool operator==(const RefusalRule&) const = default;
};

struct CallSpec {
  std::string tool;
  std::string arguments = "{}";  ///< text of a JSON object
  Expectation expect;

  bool operator==(const CallSpec&) const = default;
};

using Environment = std::map<std::string, std::string>;

/// How one caller proves who it is. `{credential}` in the value is the caller's 0-based number.
struct Credential {
  std::string header;       ///< HTTP: header name
  std::string environment;  ///< stdio: variable name
  std::string value;
  std::string query = {};  ///< HTTP: name of a parameter added to the url, instead of a header

  bool operator==(const Credential&) const = default;
};

struct StdioTarget {
  std::vector<std::string> command;
  Environment env;
  std::string directory;  ///< empty: the directory weighbridge was started in
  std::optional<Credential> credential;
  bool pipes = false;  ///< pipes as Python hosts give them; default is socketpairs as Node hosts do

  bool operator==(const StdioTarget&) const = default;
};

struct HttpTarget {
  std::vector<std::string> command;  ///< empty: attach to a server that runs already
  Environment env;
  std::string directory;
  std::string url;
  std::string ready;  ///< path asked until it answers 2xx; empty: first good discover or initialize
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<Credential> credential;
  std::optional<int> pid;  ///< attached: root of the process tree to weigh
  std::string ca_file;     ///< https: PEM certificates trusted besides the system's
  bool insecure = false;   ///< https: the certificate is not checked
  std::string proxy;       ///< url of an HTTP proxy; empty: none, whatever the environment says

  bool operator==(const HttpTarget&) const = default;
};

/// One named configuration of the target.
struct Variant {
  std::string name;
  std::vector<std::string> args;
  Environment env;
  int parallel = 4;              ///< requests in flight per credential
  std::optional<CallSpec> call;  ///< absent: a read-only tool without arguments is chosen

  bool operator==(const Variant&) const = default;
};

struct Route {
  std::string method;  ///< empty: any
  std::string path;    ///< exact, or with {name} segments
  int status = 200;
  std::string body;                         ///< JSON text
  std::optional<std::uint64_t> body_bytes;  ///< without `body`: JSON of exactly this size
  std::vector<std::pair<std::string, std::string>> headers;  ///< besides Content-Type, or instead
  Duration delay{};                                          ///< in addition to the upstream's own

  bool operator==(const Route&) const = default;
};

struct Upstream {
  std::vector<Route> routes;
  Duration delay{};

  bool operator==(const Upstream&) const = default;
};

/// What is set for a target when telemetry is on.
struct Otlp {
  std::vector<std::string> args;
  Environment env;

  bool operator==(const Otlp&) const = default;
};

/// `[run]`: the point scenarios.
struct RunSettings {
  int stdio_clients = 8;
  int http_clients = 64;
  int rounds = 3;
  int repeat = 3;
  std::vector<std::string> telemetry;  ///< names of variants also measured with telemetry on
  std::vector<std::string> args;
  Environment env;
  Duration sample_interval = 100ms;
  Duration ready_timeout = 60s;
  Duration call_timeout = 60s;
  Duration first_list_timeout = 5min;

  bool operator==(const RunSettings&) const = default;
};

struct Publish {
  std::string record;
  std::vector<std::string> pages;

  bool operator==(const Publish&) const = default;
};

/// What is asked: a plan file with every default filled in, or the command line's words turned into
/// one.
struct Plan {
  int schema = 1;
  std::string name;
  std::string protocol = "auto";  ///< or a revision's name
  std::optional<StdioTarget> stdio;
  std::optional<HttpTarget> http;
  std::vector<Variant>
      variants;  ///< at least one after reading; "default" when the file names none
  std::vector<RefusalRule> refusals;
  std::vector<std::string> strip_env;  ///< globs of variable names the target does not inherit
  std::optional<Upstream> upstream;
  std::optional<Otlp> otlp;
  RunSettings run;
  std::optional<Publish> publish;
  std::string path;                  ///< file it came from; empty for words
  std::string directory;             ///< of that file, absolute: {plan_dir}
  std::vector<std::string> secrets;  ///< values from elsewhere that must be shown nowhere

  bool operator==(const Plan&) const = default;
};

}  // namespace weighbridge::plan
