#include "reference/options.h"

#include <fmt/format.h>

#include <array>

#include "base/units.h"
#include "base/words.h"
#include "reference/detail/flag.h"

namespace weighbridge::reference {
namespace {

Result<void> read_endpoint(std::string_view text, std::optional<Endpoint>& endpoint) {
  const auto colon = text.rfind(':');
  Endpoint read{.address = "127.0.0.1", .port = 0};
  if (colon != std::string_view::npos && colon > 0) read.address = text.substr(0, colon);
  const auto port = colon == std::string_view::npos ? text : text.substr(colon + 1);
  if (!read_number(port, read.port))
    return wrong(fmt::format("\"{}\" is no address with a port", text), "Give 127.0.0.1:8080");
  if (read.address == "localhost") read.address = "127.0.0.1";
  endpoint = std::move(read);
  return {};
}

constexpr std::array kFlags{
    Flag{"--surface", "NAME",
         "dynamic (two tools that find and execute actions), meta (one tool for each area) or "
         "individual (one for each operation). Default: dynamic",
         [](Given text, Options& options) -> Result<void> {
           const auto found = find_surface(*text);
           if (!found)
             return wrong(fmt::format("there is no surface \"{}\"", *text),
                          "Give dynamic, meta or individual");
           options.surface = *found;
           return {};
         }},
    Flag{"--http", "ADDR:PORT",
         "Serve Streamable HTTP at /mcp there instead of stdio. Port 0: a free one",
         [](Given text, Options& options) { return read_endpoint(*text, options.http); }},
    Flag{"--allow-remote", "", "Let --http and --stats listen on other than loopback addresses",
         [](Given text, Options& options) { return read_bool(text, options.allow_remote); }},
    Flag{"--upstream", "URL",
         "The GitLab instance. Default: GITLAB_URL, else http://127.0.0.1:8080",
         [](Given text, Options& options) -> Result<void> {
           WB_TRY(options.upstream, transport::parse_url(*text));
           return {};
         }},
    Flag{"--upstream-ca-file", "FILE",
         "PEM certificates to trust besides the system's, for an instance on https",
         [](Given text, Options& options) -> Result<void> {
           if (text->empty()) return wrong("it names no file");
           options.upstream_ca_file = *text;
           return {};
         }},
    Flag{"--upstream-timeout", "TIME", "How long GitLab may take to answer. Default: 30s",
         [](Given text, Options& options) {
           return read_duration(*text, options.upstream_timeout);
         }},
    Flag{"--upstream-connections", "N",
         "Connections to GitLab at most. Default: as many as calls may be held",
         [](Given text, Options& options) -> Result<void> {
           WB_CHECK(read_number(*text, options.upstream_connections));
           if (options.upstream_connections == 0) return wrong("it must be above 0");
           return {};
         }},
    Flag{
        "--stateless", "BOOL",
        "true: no session ids, GET and DELETE are answered 405. false: initialize opens a session, "
        "DELETE ends it. Default: true",
        [](Given text, Options& options) { return read_bool(text, options.stateless); }},
    Flag{
        "--session-timeout", "TIME", "Sessions unused for so long are ended. Default: 30m",
        [](Given text, Options& options) { return read_duration(*text, options.session_timeout); }},
    Flag{"--json-response", "BOOL",
         "true: requests are answered with JSON. false: with a stream of server-sent events. "
         "Default: true",
         [](Given text, Options& options) { return read_bool(text, options.json_response); }},
    Flag{"--page-size", "N", "Answer tools/list in pages of so many tools. Default: all at once",
         [](Given text, Options& options) { return read_number(*text, options.page_size); }},
    Flag{"--stats", "ADDR:PORT",
         "Answer what this server has really done, as JSON, on a listener of its own",
         [](Given text, Options& options) { return read_endpoint(*text, options.stats); }},
    Flag{"--stats-delays", "", "List every single delay made in --stats",
         [](Given text, Options& options) { return read_bool(text, options.stats_delays); }},
    Flag{"--telemetry", "",
         "Send traces, metrics and logs as OTLP/HTTP JSON to OTEL_EXPORTER_OTLP_ENDPOINT (default "
         "http://127.0.0.1:4318)",
         [](Given text, Options& options) { return read_bool(text, options.telemetry); }},
    Flag{"--fixtures", "",
         "Also offer the tools, resources and prompts that the official conformance suite expects, "
         "with sessions (--stateless=false)",
         [](Given text, Options& options) -> Result<void> {
           WB_CHECK(read_bool(text, options.fixtures));
           if (options.fixtures) options.stateless = false;
           return {};
         }},
    Flag{"--help", "", "Say this",
         [](Given text, Options& options) { return read_bool(text, options.help); }},
    Flag{"--version", "", "Say which version this is",
         [](Given text, Options& options) { return read_bool(text, options.version); }},
};

/// All of them, in the order of the help.
std::array<std::span<const Flag>, 3> all_flags() {
  return {kFlags, limit_flags(), weight_flags()};
}

const Flag* find_flag(std::string_view name) {
  for (const auto flags : all_flags())
    for (const auto& flag : flags)
      if (flag.name == name) return &flag;
  return nullptr;
}

std::unexpected<Error> unknown(std::string_view word) {
  std::vector<std::string> names;
  for (const auto flags : all_flags())
    for (const auto& flag : flags) names.emplace_back(flag.name);
  const auto nearest = nearest_word(word, names);
  return wrong(fmt::format("there is no flag {}", word),
               nearest.empty() ? "See --help" : fmt::format("Did you mean {}?", nearest));
}

/// A switch may be followed by something that is not its value, so only `=` gives it one; the same
/// for flags that are true or false.
bool wants_next_word(const Flag& flag) {
  return !flag.value.empty() && flag.value != "BOOL";
}

Result<void> read_words(std::span<const std::string_view> words, Options& options) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto equals = words[i].find('=');
    const auto name = words[i].substr(0, equals);
    const Flag* const flag = find_flag(name);
    if (flag == nullptr) return unknown(name);
    Given given;
    if (equals != std::string_view::npos) {
      given = words[i].substr(equals + 1);
    } else if (wants_next_word(*flag)) {
      if (i + 1 == words.size()) return wrong(fmt::format("{} wants {}", name, flag->value));
      given = words[++i];
    }
    if (auto read = flag->read(given, options); !read)
      return std::unexpected(read.error().within(std::string(name)));
  }
  return {};
}

Result<void> read_milliseconds(const char* text, Duration& value) {
  if (text == nullptr || *text == '\0') return {};
  long long milliseconds = 0;
  if (auto read = read_number(std::string_view(text), milliseconds); !read || milliseconds < 1)
    return wrong(fmt::format("\"{}\" is no number of milliseconds", text));
  value = std::chrono::milliseconds(milliseconds);
  return {};
}

std::string_view or_else(const char* text, std::string_view otherwise) {
  return text != nullptr && *text != '\0' ? text : otherwise;
}

Result<void> read_environment(const char* (*environment)(const char*), Options& options) {
  const auto url = or_else(environment("GITLAB_URL"), "http://127.0.0.1:8080");
  auto upstream = transport::parse_url(url);
  if (!upstream) return std::unexpected(upstream.error().within("GITLAB_URL"));
  options.upstream = std::move(*upstream);
  options.own_credential = read_credential(or_else(environment("GITLAB_TOKEN"), ""), "");
  options.otlp_endpoint =
      or_else(environment("OTEL_EXPORTER_OTLP_ENDPOINT"), "http://127.0.0.1:4318");
  options.otlp_service_name =
      or_else(environment("OTEL_SERVICE_NAME"), "weighbridge-reference-server");
  WB_CHECK(read_milliseconds(environment("OTEL_BSP_SCHEDULE_DELAY"), options.otlp_trace_interval));
  WB_CHECK(read_milliseconds(environment("OTEL_BLRP_SCHEDULE_DELAY"), options.otlp_log_interval));
  return read_milliseconds(environment("OTEL_METRIC_EXPORT_INTERVAL"),
                           options.otlp_metric_interval);
}

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1" || address == "[::1]";
}

/// Weights that would do nothing are words that were meant otherwise.
Result<void> check_weights(const Options& options) {
  const auto& weights = options.weights;
  const bool of_sessions = weights.session_bytes > 0 || !weights.session_things.none();
  if ((of_sessions || weights.leak_abandoned) && options.stateless)
    return wrong("a weight of sessions weighs nothing without sessions", "Add --stateless=false");
  if (weights.leak_abandoned && !of_sessions)
    return wrong("--weight-leak-abandoned leaks nothing when sessions hold nothing",
                 "Add --weight-session-hold or another weight of sessions");
  if ((of_sessions || weights.connection_bytes > 0) && !options.http)
    return wrong("a weight of sessions or connections weighs nothing on stdio", "Add --http");
  if (weights.trickle > Duration(0) && weights.chunk_bytes == 0)
    return wrong("--weight-trickle pauses between chunks, and there are none",
                 "Add --weight-chunk");
  return {};
}

Result<void> check_limits(const Options& options) {
  if (options.callers.limit.told && !options.callers.limit.on())
    return wrong("there is no rate limit of which this could be said", "Add --rate-limit-rps");
  if (options.verify && !options.http)
    return wrong("--verify verifies those who come over HTTP", "Add --http");
  if (options.sessions > 0 && options.stateless)
    return wrong("--max-sessions limits nothing without sessions", "Add --stateless=false");
  return {};
}

Result<void> check_together(const Options& options) {
  for (const auto* endpoint : {&options.http, &options.stats})
    if (*endpoint && !options.allow_remote && !is_loopback((*endpoint)->address))
      return wrong(fmt::format("{} is not a loopback address", (*endpoint)->address),
                   "Whoever reaches this server acts with its credential; if that is meant, add "
                   "--allow-remote");
  if (!options.upstream_ca_file.empty() && options.upstream.scheme != "https")
    return wrong("--upstream-ca-file is for an instance on https",
                 fmt::format("Give --upstream=https://{}", options.upstream.authority()));
  if (options.fixtures && options.http && options.stateless)
    return wrong("--fixtures cannot be had with --stateless=true",
                 "They ask the client back, which takes a session; leave --stateless out");
  WB_CHECK(check_limits(options));
  return check_weights(options);
}

void append_help(std::string& text, std::span<const Flag> flags) {
  for (const auto& flag : flags) {
    const auto head =
        flag.value.empty() ? std::string(flag.name) : fmt::format("{}={}", flag.name, flag.value);
    text += fmt::format("  {}\n      {}\n", head, flag.help);
  }
}

}  // namespace

Result<Options> read_options(std::span<const std::string_view> words,
                             const char* (*environment)(const char*)) {
  Options options;
  WB_CHECK(read_environment(environment, options));
  WB_CHECK(read_words(words, options));
  if (!options.help && !options.version) WB_CHECK(check_together(options));
  return options;
}

std::string help_text() {
  std::string text =
      "reference-server: GitLab for MCP clients, and a server whose cost is known.\n\n"
      "Usage: reference-server [FLAGS]\n\n"
      "Speaks MCP on stdin and stdout, or over HTTP with --http. The credential is GITLAB_TOKEN, "
      "or over HTTP\nthe PRIVATE-TOKEN or Authorization: Bearer header of each "
      "request.\n\nFlags:\n";
  append_help(text, kFlags);
  text += "\nLimits:\n";
  append_help(text, limit_flags());
  text += "\nKnown weights, each told by --stats as what was really done:\n";
  append_help(text, weight_flags());
  text +=
      "\nEnvironment: GITLAB_URL, GITLAB_TOKEN, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME,\n"
      "OTEL_BSP_SCHEDULE_DELAY, OTEL_BLRP_SCHEDULE_DELAY and OTEL_METRIC_EXPORT_INTERVAL "
      "(milliseconds).\n\n"
      "Examples:\n"
      "  GITLAB_TOKEN=... reference-server --upstream=http://gitlab.example.com\n"
      "  reference-server --http=127.0.0.1:8080 --surface=individual\n"
      "  reference-server --http=127.0.0.1:8080 --weight-delay=exponential:20ms --seed=7 "
      "--stats=127.0.0.1:8081\n\n"
      "Exit codes: 0 done, 2 the words are wrong, 3 it could not start.\n";
  return text;
}

}  // namespace weighbridge::reference
