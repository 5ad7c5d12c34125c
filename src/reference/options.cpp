#include "reference/options.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/units.h"
#include "base/words.h"
#include "reference/delay.h"

namespace weighbridge::reference {
namespace {

using Given = std::optional<std::string_view>;  // what follows `=`, or the next word

std::unexpected<Error> wrong(std::string what, std::string remedy = {}) {
  return fail(ErrorCode::usage, std::move(what), {}, std::move(remedy));
}

template <typename Number>
Result<void> read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && !text.empty()) return {};
  return wrong(fmt::format("\"{}\" is no number that will do", text));
}

Result<void> read_bool(Given text, bool& value) {
  if (!text || *text == "true") {
    value = true;
  } else if (*text == "false") {
    value = false;
  } else {
    return wrong(fmt::format("\"{}\" is neither true nor false", *text));
  }
  return {};
}

Result<void> read_duration(std::string_view text, Duration& value) {
  WB_TRY(value, parse_duration(text));
  return {};
}

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

struct Flag {
  std::string_view name;
  std::string_view value;  ///< what stands for it in the help; empty: a switch
  std::string_view help;
  Result<void> (*read)(Given, Options&);
};

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
         "The GitLab instance. Default: GITLAB_URL, else http://127.0.0.1:8080. https is not "
         "spoken yet: put a local proxy before it",
         [](Given text, Options& options) -> Result<void> {
           WB_TRY(options.upstream, transport::parse_url(*text));
           return {};
         }},
    Flag{"--upstream-timeout", "TIME", "How long GitLab may take to answer. Default: 30s",
         [](Given text, Options& options) {
           return read_duration(*text, options.upstream_timeout);
         }},
    Flag{"--upstream-connections", "N", "Connections to GitLab at most. Default: 64",
         [](Given text, Options& options) {
           return read_number(*text, options.upstream_connections);
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
    Flag{"--weight-delay", "DELAY",
         "Hold back every answer to tools/call: 10ms, uniform:5ms-15ms, exponential:20ms, "
         "bimodal:5ms,50ms,0.1, list:1ms,2ms or @FILE",
         [](Given text, Options& options) -> Result<void> {
           WB_TRY([[maybe_unused]] const auto readable, DelaySource::parse(*text, 0));
           options.delay = *text;
           return {};
         }},
    Flag{"--weight-freeze", "LENGTH/PERIOD",
         "Stand still for LENGTH at the start of every PERIOD, counted from the first request: "
         "1s/4s",
         [](Given text, Options& options) -> Result<void> {
           WB_TRY(options.freeze, FreezePlan::parse(*text));
           return {};
         }},
    Flag{"--weight-cpu", "TIME", "Burn so much processor time in every tools/call",
         [](Given text, Options& options) { return read_duration(*text, options.cpu); }},
    Flag{"--weight-hold", "SIZE", "Hold so much resident memory for every credential: 50KiB",
         [](Given text, Options& options) -> Result<void> {
           WB_TRY(options.hold_bytes, parse_size(*text));
           return {};
         }},
    Flag{"--seed", "N", "Seed of the delays. Default: 1",
         [](Given text, Options& options) { return read_number(*text, options.seed); }},
    Flag{"--telemetry", "",
         "Send traces and metrics as OTLP/HTTP JSON to OTEL_EXPORTER_OTLP_ENDPOINT (default "
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

const Flag* find_flag(std::string_view name) {
  for (const auto& flag : kFlags)
    if (flag.name == name) return &flag;
  return nullptr;
}

std::unexpected<Error> unknown(std::string_view word) {
  std::vector<std::string> names;
  for (const auto& flag : kFlags) names.emplace_back(flag.name);
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
  return read_milliseconds(environment("OTEL_METRIC_EXPORT_INTERVAL"),
                           options.otlp_metric_interval);
}

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1" || address == "[::1]";
}

Result<void> check_together(const Options& options) {
  for (const auto* endpoint : {&options.http, &options.stats})
    if (*endpoint && !options.allow_remote && !is_loopback((*endpoint)->address))
      return wrong(fmt::format("{} is not a loopback address", (*endpoint)->address),
                   "Whoever reaches this server acts with its credential; if that is meant, add "
                   "--allow-remote");
  if (options.upstream.scheme != "http")
    return wrong(fmt::format("{}:// is not spoken to the upstream yet", options.upstream.scheme),
                 "Put a local proxy before it that does");
  if (options.fixtures && options.http && options.stateless)
    return wrong("--fixtures cannot be had with --stateless=true",
                 "They ask the client back, which takes a session; leave --stateless out");
  if (options.upstream_connections == 0) return wrong("--upstream-connections must be above 0");
  return {};
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
  for (const auto& flag : kFlags) {
    const auto head =
        flag.value.empty() ? std::string(flag.name) : fmt::format("{}={}", flag.name, flag.value);
    text += fmt::format("  {}\n      {}\n", head, flag.help);
  }
  text +=
      "\nEnvironment: GITLAB_URL, GITLAB_TOKEN, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SERVICE_NAME,\n"
      "OTEL_BSP_SCHEDULE_DELAY and OTEL_METRIC_EXPORT_INTERVAL (milliseconds).\n\n"
      "Examples:\n"
      "  GITLAB_TOKEN=... reference-server --upstream=http://gitlab.example.com\n"
      "  reference-server --http=127.0.0.1:8080 --surface=individual\n"
      "  reference-server --http=127.0.0.1:8080 --weight-delay=exponential:20ms --seed=7 "
      "--stats=127.0.0.1:8081\n\n"
      "Exit codes: 0 done, 2 the words are wrong, 3 it could not start.\n";
  return text;
}

}  // namespace weighbridge::reference
