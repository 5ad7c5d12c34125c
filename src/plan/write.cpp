#include "plan/write.h"

#include <fmt/format.h>

#include "base/units.h"
#include "plan/detail/json_value.h"
#include "plan/placeholders.h"
#include "plan/redactor.h"

namespace weighbridge::plan {
namespace {

using detail::toml_key;
using detail::toml_quoted;

/// Collects the lines of a plan file. Everything that may hold a secret goes through one of
/// `shown`, `secret` and `environment`. Names do not: a header's value may by chance be the name of
/// a variant, and a plan whose names are gone could not be read back.
class Writer {
 public:
  Writer(const Plan& plan, bool redacted) : redacted_(redacted) {
    if (redacted) redactor_ = Redactor(plan);
  }

  void header(std::string_view name) { out_ += fmt::format("\n{}\n", name); }
  void value(std::string_view key, std::string_view toml) {
    out_ += fmt::format("{} = {}\n", key, toml);
  }
  void number(std::string_view key, std::int64_t number) { value(key, fmt::format("{}", number)); }
  void duration(std::string_view key, Duration span) {
    value(key, toml_quoted(format_duration(span)));
  }
  /// Left out when empty: that is how a plan says "none".
  void text(std::string_view key, const std::string& text) {
    if (!text.empty()) value(key, toml_quoted(shown(text)));
  }
  void texts(std::string_view key, const std::vector<std::string>& texts) {
    names(key, redacted_ ? redactor_(texts) : texts);
  }
  void name(std::string_view key, const std::string& name) {
    if (!name.empty()) value(key, toml_quoted(name));
  }
  void names(std::string_view key, const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + toml_quoted(name);
    value(key, "[" + list + "]");
  }
  void environment(std::string_view key, const Environment& env) {
    std::string list;
    for (const auto& [name, text] : env)
      list += pair(list, name, Redactor::tells_of_secret(name) ? secret(text) : shown(text));
    value(key, list.empty() ? "{}" : "{" + list + " }");
  }
  /// Of the target every value is a secret; of a scripted answer those whose name says so.
  void headers(const std::vector<std::pair<std::string, std::string>>& headers, bool all_secret) {
    std::string list;
    for (const auto& [name, text] : headers) {
      const bool hidden = all_secret || Redactor::tells_of_secret(name);
      list += pair(list, name, hidden ? secret(text) : shown(text));
    }
    value("headers", list.empty() ? "{}" : "{" + list + " }");
  }
  void json(std::string_view key, std::string_view text_key, const std::string& json) {
    const auto inside = [this](std::string_view name, std::string_view text) {
      return Redactor::tells_of_secret(name) ? secret(std::string(text)) : shown(std::string(text));
    };
    if (const auto toml = detail::toml_value(json, inside))
      value(key, *toml);
    else
      text(text_key, json);
  }

  [[nodiscard]] std::string shown(const std::string& text) const {
    return redacted_ ? redactor_(text) : text;
  }
  [[nodiscard]] std::string secret(const std::string& text) const {
    return redacted_ ? "***" : text;
  }
  /// ` name = "text"`, with a comma if it is not the first.
  static std::string pair(std::string_view list, std::string_view name, std::string_view text) {
    return fmt::format("{} {} = {}", list.empty() ? "" : ",", toml_key(name), toml_quoted(text));
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
  bool redacted_;
  Redactor redactor_;
};

void write_credential(Writer& out, std::string_view kind, const std::string& name,
                      const Credential& credential) {
  out.value("credential", fmt::format("{{ {} = {}, value = {} }}", kind, toml_quoted(name),
                                      toml_quoted(out.secret(credential.value))));
}

void write_stdio(Writer& out, const StdioTarget& stdio) {
  out.header("[target.stdio]");
  out.texts("command", stdio.command);
  out.environment("env", stdio.env);
  out.text("directory", stdio.directory);
  out.value("channel", stdio.pipes ? "\"pipe\"" : "\"socketpair\"");
  if (stdio.credential)
    write_credential(out, "environment", stdio.credential->environment, *stdio.credential);
}

void write_http(Writer& out, const HttpTarget& http) {
  out.header("[target.http]");
  if (!http.command.empty()) out.texts("command", http.command);
  out.environment("env", http.env);
  out.text("directory", http.directory);
  const bool fixed_port = !http.command.empty() && placeholders_in(http.url).empty();
  out.value("url", toml_quoted(out.shown(http.url)) +
                       (fixed_port ? "  # a fixed port: no other is tried when it is taken" : ""));
  out.text("ready", http.ready);
  out.headers(http.headers, /*all_secret=*/true);
  if (http.credential && http.credential->query.empty())
    write_credential(out, "header", http.credential->header, *http.credential);
  else if (http.credential)
    write_credential(out, "query", http.credential->query, *http.credential);
  out.text("ca_file", http.ca_file);
  if (http.insecure) out.value("insecure", "true");
  out.text("proxy", http.proxy);
  if (http.pid) out.number("pid", *http.pid);
}

void write_variant(Writer& out, const Variant& variant) {
  out.header("[[variant]]");
  out.name("name", variant.name);
  out.texts("args", variant.args);
  out.environment("env", variant.env);
  out.number("parallel", variant.parallel);
  if (!variant.call) return;
  out.header("[variant.call]");
  out.name("tool", variant.call->tool);
  out.json("arguments", "arguments", variant.call->arguments);
  const Expectation& expect = variant.call->expect;
  if (expect == Expectation{}) return;
  out.header("[variant.call.expect]");
  out.text("contains", expect.contains);
  if (expect.min_bytes) out.value("min_bytes", fmt::format("{}", *expect.min_bytes));
  if (expect.max_bytes) out.value("max_bytes", fmt::format("{}", *expect.max_bytes));
  if (expect.equals) out.name("equals", *expect.equals);
  out.text("pointer", expect.pointer);
  if (!expect.value.empty()) out.json("value", "value", expect.value);
  if (expect.count) out.value("count", fmt::format("{}", *expect.count));
  if (expect.same_result) out.value("same_result", "true");
}

void write_refusal(Writer& out, const RefusalRule& rule) {
  out.header("[[refusal]]");
  if (rule.status) out.number("status", *rule.status);
  if (rule.code) out.number("code", *rule.code);
  if (rule.is_error) out.value("is_error", *rule.is_error ? "true" : "false");
  out.text("text_prefix", rule.text_prefix);
}

void write_upstream(Writer& out, const Upstream& upstream) {
  out.header("[standin.upstream]");
  out.duration("delay", upstream.delay);
  for (const Route& route : upstream.routes) {
    out.header("[[standin.upstream.routes]]");
    out.name("method", route.method);
    out.text("path", route.path);
    out.number("status", route.status);
    if (!route.body.empty()) out.json("json", "body", route.body);
    if (route.body_bytes) out.value("body_bytes", fmt::format("{}", *route.body_bytes));
    out.headers(route.headers, /*all_secret=*/false);
    out.duration("delay", route.delay);
  }
}

void write_run(Writer& out, const RunSettings& run) {
  out.header("[run]");
  out.number("stdio_clients", run.stdio_clients);
  out.number("http_clients", run.http_clients);
  out.number("rounds", run.rounds);
  out.number("repeat", run.repeat);
  out.names("telemetry", run.telemetry);
  out.texts("args", run.args);
  out.environment("env", run.env);
  out.duration("sample_interval", run.sample_interval);
  out.duration("ready_timeout", run.ready_timeout);
  out.duration("call_timeout", run.call_timeout);
  out.duration("first_list_timeout", run.first_list_timeout);
}

}  // namespace

std::string to_toml(const Plan& plan, bool redacted) {
  Writer out(plan, redacted);
  out.number("schema", plan.schema);
  out.name("name", plan.name);
  out.name("protocol", plan.protocol);
  out.names("strip_env", plan.strip_env);
  if (plan.stdio) write_stdio(out, *plan.stdio);
  if (plan.http) write_http(out, *plan.http);
  for (const Variant& variant : plan.variants) write_variant(out, variant);
  for (const RefusalRule& rule : plan.refusals) write_refusal(out, rule);
  if (plan.upstream) write_upstream(out, *plan.upstream);
  if (plan.otlp) {
    out.header("[standin.otlp]");
    out.texts("args", plan.otlp->args);
    out.environment("env", plan.otlp->env);
  }
  write_run(out, plan.run);
  if (plan.publish) {
    out.header("[publish]");
    out.text("record", plan.publish->record);
    out.texts("pages", plan.publish->pages);
  }
  return out.take();
}

}  // namespace weighbridge::plan
