#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/words.h"
#include "plan/detail/rules.h"
#include "plan/placeholders.h"

namespace weighbridge::plan::detail {
namespace {

Verdict judge_command(const std::vector<std::string>& command, const std::string& key) {
  if (command.front().empty()) return Objection{key + "[0]", "the program has no name", {}};
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i].find('\0') != std::string::npos)
      return Objection{fmt::format("{}[{}]", key, i), "an argument holds a zero byte", {}};
  }
  return std::nullopt;
}

Verdict judge_stdio(const StdioTarget& stdio) {
  if (stdio.command.empty())
    return Objection{"target.stdio", "[target.stdio] needs a command",
                     "Write command = [\"npx\", \"some-server\"]"};
  if (auto no = judge_command(stdio.command, "target.stdio.command")) return no;
  if (auto no = judge_environment(stdio.env, "target.stdio.env")) return no;
  if (!stdio.credential) return std::nullopt;
  if (stdio.credential->environment.empty() || stdio.credential->value.empty())
    return Objection{"target.stdio.credential", "a credential needs `environment` and `value`",
                     "Write credential = { environment = \"API_TOKEN\", value = \"…\" }"};
  if (stdio.env.contains(stdio.credential->environment))
    return Objection{
        "target.stdio.credential",
        fmt::format("{} is set by both env and credential", stdio.credential->environment),
        "Remove it from env"};
  return judge_environment({{stdio.credential->environment, stdio.credential->value}},
                           "target.stdio.credential");
}

/// "host:port" taken apart; an IPv6 address keeps its brackets. The port may still be "{port}".
struct Authority {
  std::string host;
  std::string port;
};

Authority authority_of(const std::string& url) {
  std::string_view rest = std::string_view(url).substr(url.find("://") + 3);
  rest = rest.substr(0, rest.find_first_of("/?#"));
  const std::size_t bracket = rest.find(']');
  const std::size_t colon = rest.find(':', bracket == rest.npos ? 0 : bracket);
  if (colon == rest.npos) return {std::string(rest), {}};
  return {std::string(rest.substr(0, colon)), std::string(rest.substr(colon + 1))};
}

bool is_loopback(const std::string& host) {
  return equals_ignoring_case(host, "localhost") || host == "[::1]" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos);
}

bool is_port(const std::string& text) {
  int port = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), port);
  return code == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

Verdict judge_url(const HttpTarget& http) {
  const std::string key = "target.http.url";
  const std::string example = "Write for example \"http://127.0.0.1:{port}/mcp\"";
  if (http.url.empty()) return Objection{"target.http", "[target.http] needs a url", example};
  if (!http.url.starts_with("http://") && !http.url.starts_with("https://"))
    return Objection{key, "the url must begin with http:// or https://", example};
  if (std::ranges::any_of(http.url, [](unsigned char c) { return c <= ' ' || c == 0x7f; }))
    return Objection{key, "the url holds a space or a control character", "Write %20 for a space"};
  const Authority authority = authority_of(http.url);
  if (authority.host.find('@') != std::string::npos ||
      authority.port.find('@') != std::string::npos)
    return Objection{
        key, "a user and password in the url are not sent",
        "Write them as credential = { header = \"Authorization\", value = \"Basic …\" }"};
  if (http.url.find('#') != std::string::npos)
    return Objection{key, "what follows # in a url is never sent", "Remove it"};
  if (authority.host.empty()) return Objection{key, "the url has no host", example};
  if (!authority.port.empty() && authority.port != "{port}" && !is_port(authority.port))
    return Objection{key, fmt::format("\"{}\" is no port", authority.port),
                     "Write {port} or a number from 1 to 65535"};
  if (!http.command.empty() && !is_loopback(authority.host))
    return Objection{key,
                     fmt::format("a server that is started here listens on the loopback "
                                 "address, not on \"{}\"",
                                 authority.host),
                     "Write 127.0.0.1, or leave out the command to attach to a running server"};
  return std::nullopt;
}

/// How the server is reached: what https needs, and a proxy.
Verdict judge_way(const HttpTarget& http) {
  const bool https = http.url.starts_with("https://");
  if (!https && !http.ca_file.empty())
    return Objection{"target.http.ca_file", "`ca_file` is for https, and the url begins with http:",
                     "Remove it, or write https:// in the url"};
  if (!https && http.insecure)
    return Objection{"target.http.insecure",
                     "`insecure` is for https, and the url begins with http:",
                     "Remove it, or write https:// in the url"};
  if (http.insecure && !http.ca_file.empty())
    return Objection{"target.http.insecure",
                     "`insecure` switches off the check that `ca_file` is there for",
                     "Remove one of them"};
  if (http.proxy.empty()) return std::nullopt;
  const std::string key = "target.http.proxy";
  const std::string example = "Write for example \"http://127.0.0.1:3128\"";
  if (!http.proxy.starts_with("http://"))
    return Objection{key, "the url of a proxy must begin with http://", example};
  const Authority authority = authority_of(http.proxy);
  if (authority.host.find('@') != std::string::npos ||
      authority.port.find('@') != std::string::npos)
    return Objection{key, "a proxy that asks for a user and password is not supported",
                     "Use one that lets this machine through"};
  if (authority.host.empty() || (!authority.port.empty() && !is_port(authority.port)))
    return Objection{key, "the url of the proxy has no host, or a port that is none", example};
  return std::nullopt;
}

bool mentions_port(const std::vector<std::string>& args, const Environment& env) {
  const auto named = [](const std::string& text) {
    const auto names = placeholders_in(text);
    return std::ranges::find(names, "port") != names.end();
  };
  return std::ranges::any_of(args, named) ||
         std::ranges::any_of(env, [&](const auto& pair) { return named(pair.second); });
}

/// A server that is started here must hear of the port that the url names.
Verdict judge_port(const Plan& plan) {
  const HttpTarget& http = *plan.http;
  const bool everywhere =
      mentions_port(http.command, http.env) || mentions_port(plan.run.args, plan.run.env);
  const auto hears = [&](const Variant& v) { return everywhere || mentions_port(v.args, v.env); };
  if (mentions_port({http.url}, {})) {
    const auto deaf = std::ranges::find_if_not(plan.variants, hears);
    if (deaf == plan.variants.end()) return std::nullopt;
    return Objection{"target.http.command",
                     "the url has {port}, but nothing tells the server which port that is",
                     "Pass {port} in command or env, or write the server's own port in the url"};
  }
  if (std::ranges::any_of(plan.variants, hears))
    return Objection{"target.http.url", "the server is told {port}, but the url does not name it",
                     "Write for example \"http://127.0.0.1:{port}/mcp\""};
  return std::nullopt;  // a fixed port: allowed, though a taken one cannot be replaced
}

/// A running server cannot be started otherwise, so nothing that shapes the start may be asked.
Verdict judge_attached(const Plan& plan) {
  const HttpTarget& http = *plan.http;
  const auto contradiction = [](std::string key, std::string_view what) {
    return Objection{std::move(key),
                     fmt::format("{} has no effect on a server that runs already", what),
                     "Give [target.http] a command, or remove it"};
  };
  if (!http.ready.empty()) return contradiction("target.http.ready", "`ready`");
  if (!http.env.empty()) return contradiction("target.http.env", "`env`");
  if (!http.directory.empty()) return contradiction("target.http.directory", "`directory`");
  if (mentions_port({http.url}, {}))
    return Objection{"target.http.url", "{port} is only known of a server that is started here",
                     "Write the number of the port the server listens on"};
  if (!plan.run.args.empty()) return contradiction("run.args", "`args`");
  if (!plan.run.env.empty()) return contradiction("run.env", "`env`");
  for (std::size_t i = 0; i < plan.variants.size(); ++i) {
    const std::string key = fmt::format("variant[{}].", i);
    if (!plan.variants[i].args.empty()) return contradiction(key + "args", "`args`");
    if (!plan.variants[i].env.empty()) return contradiction(key + "env", "`env`");
  }
  if (!plan.run.telemetry.empty()) return contradiction("run.telemetry", "`telemetry`");
  return std::nullopt;
}

bool is_header_name(const std::string& name) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";  // RFC 9110, section 5.6.2
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != kMarks.npos;
  });
}

Verdict judge_header(const std::string& name, const std::string& value, const std::string& key) {
  static constexpr std::array kOurs{
      "content-length", "transfer-encoding", "connection",          "content-type",
      "accept",         "mcp-session-id",    "mcp-protocol-version"};
  if (auto no = judge_field(name, value, key)) return no;
  if (std::ranges::any_of(kOurs, [&](const char* own) { return equals_ignoring_case(name, own); }))
    return Objection{key, fmt::format("weighbridge sets the header {} itself", name), "Remove it"};
  return std::nullopt;
}

Verdict judge_headers(const HttpTarget& http) {
  for (const auto& [name, value] : http.headers) {
    if (auto no = judge_header(name, value, "target.http.headers")) return no;
    if (http.credential && !http.credential->header.empty() &&
        equals_ignoring_case(name, http.credential->header))
      return Objection{"target.http.credential",
                       fmt::format("{} is set by both headers and credential", name),
                       "Remove it from headers"};
  }
  return std::nullopt;
}

/// Whether the url's query has a parameter of that name.
bool has_parameter(const std::string& url, const std::string& name) {
  const std::size_t query = url.find('?');
  if (query == std::string::npos) return false;
  return std::ranges::any_of(split(url.substr(query + 1), '&'), [&](const std::string& pair) {
    return pair.substr(0, pair.find('=')) == name;
  });
}

Verdict judge_credential(const HttpTarget& http) {
  if (!http.credential) return std::nullopt;
  const Credential& credential = *http.credential;
  const std::string key = "target.http.credential";
  const bool header = !credential.header.empty();
  const bool query = !credential.query.empty();
  if (header && query)
    return Objection{key, "a credential travels as `header` or as `query`, not as both",
                     "Remove one of them"};
  if ((!header && !query) || credential.value.empty())
    return Objection{key, "a credential needs `bearer`, or `header` or `query` with a `value`",
                     "Write for example credential = { bearer = \"token-{credential}\" }"};
  if (header) return judge_header(credential.header, credential.value, key);
  if (has_parameter(http.url, credential.query))
    return Objection{key, fmt::format("{} stands in the url already", credential.query),
                     "Remove it from the url"};
  return std::nullopt;
}

Verdict judge_http(const Plan& plan) {
  const HttpTarget& http = *plan.http;
  if (auto no = judge_url(http)) return no;
  if (auto no = judge_environment(http.env, "target.http.env")) return no;
  if (auto no = judge_way(http)) return no;
  if (auto no = judge_headers(http)) return no;
  if (auto no = judge_credential(http)) return no;
  if (!http.ready.empty() && !http.ready.starts_with('/'))
    return Objection{"target.http.ready", "`ready` is a path and begins with /",
                     "Write for example ready = \"/health\""};
  if (http.command.empty()) {
    if (http.pid && *http.pid < 1)
      return Objection{"target.http.pid", "`pid` must be the number of a process", {}};
    return judge_attached(plan);
  }
  if (http.pid)
    return Objection{"target.http.pid",
                     "`pid` names a server that runs already, `command` starts one",
                     "Remove one of them"};
  if (auto no = judge_command(http.command, "target.http.command")) return no;
  return judge_port(plan);
}

}  // namespace

Verdict judge_field(const std::string& name, const std::string& value, const std::string& key) {
  if (!is_header_name(name))
    return Objection{key, fmt::format("\"{}\" is no name of a header", name),
                     "Letters, digits and - are safe"};
  if (std::ranges::any_of(value,
                          [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; }))
    return Objection{key, fmt::format("the value of {} holds a control character", name),
                     "A line break in it would be another header"};
  return std::nullopt;
}

Verdict judge_targets(const Plan& plan) {
  if (!plan.stdio && !plan.http)
    return Objection{"target", "the plan names no server to weigh",
                     "Add [target.stdio] with a command, or [target.http] with a url"};
  if (plan.stdio) {
    if (auto no = judge_stdio(*plan.stdio)) return no;
  }
  if (plan.http) return judge_http(plan);
  return std::nullopt;
}

}  // namespace weighbridge::plan::detail
