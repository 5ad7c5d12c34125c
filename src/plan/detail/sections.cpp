#include "plan/detail/sections.h"

#include <fmt/format.h>

#include <array>

#include "plan/detail/json_value.h"

namespace weighbridge::plan::detail {
namespace {

void read_stdio(const toml::table& table, StdioTarget& stdio, Problems& problems) {
  Fields fields(table, "target.stdio", problems);
  fields.texts("command", stdio.command);
  fields.environment("env", stdio.env);
  fields.text("directory", stdio.directory);
  std::string channel;
  fields.choice("channel", {"socketpair", "pipe"}, channel);
  stdio.pipes = channel == "pipe";
  if (const toml::table* inner = fields.table("credential")) {
    Fields credential(*inner, "target.stdio.credential", problems);
    Credential& who = stdio.credential.emplace();
    credential.text("environment", who.environment);
    credential.text("value", who.value);
    for (const char* key : {"header", "query", "bearer"})
      credential.refuse_key(key, fmt::format("`{}` is for HTTP: on stdio nothing carries it", key),
                            "Write environment = \"NAME\" and value = \"…\"");
  }
}

void read_http_credential(const toml::table& table, Credential& who, Problems& problems) {
  Fields credential(table, "target.http.credential", problems);
  credential.text("header", who.header);
  credential.text("query", who.query);
  credential.text("value", who.value);
  std::string token;
  credential.text("bearer", token);
  credential.refuse_key("environment",
                        "`environment` is for stdio: over HTTP one process serves every caller",
                        "Write bearer = \"…\", or header or query with a value");
  const toml::node* bearer = table.get("bearer");
  if (bearer == nullptr || token.empty()) return;
  if (!who.header.empty() || !who.query.empty() || !who.value.empty()) {
    credential.refuse(*bearer, "`bearer` is a whole credential: the token itself",
                      "Remove header, query and value, or write them without bearer");
    return;
  }
  who.header = "Authorization";
  who.value = "Bearer " + token;
}

void read_http(const toml::table& table, HttpTarget& http, Problems& problems) {
  Fields fields(table, "target.http", problems);
  fields.texts("command", http.command);
  fields.environment("env", http.env);
  fields.text("directory", http.directory);
  fields.text("url", http.url);
  fields.text("ready", http.ready);
  fields.pairs("headers", http.headers);
  fields.integer("pid", http.pid);
  fields.text("ca_file", http.ca_file);
  std::optional<bool> insecure;
  fields.boolean("insecure", insecure);
  http.insecure = insecure.value_or(false);
  fields.text("proxy", http.proxy);
  if (const toml::table* inner = fields.table("credential"))
    read_http_credential(*inner, http.credential.emplace(), problems);
}

void read_call(const toml::table& table, CallSpec& call, Problems& problems) {
  Fields fields(table, "variant.call", problems);
  fields.text("tool", call.tool);
  if (const toml::node* arguments = fields.any("arguments")) {
    if (arguments->is_table())
      call.arguments = json_text(*arguments, problems);
    else if (const auto* text = arguments->as_string())
      call.arguments = text->get();  // for what TOML cannot say, such as null
    else
      fields.refuse(*arguments,
                    "`arguments` in [variant.call] must be a table, or the text of a JSON object",
                    "Write for example arguments = { query = \"list issues\" }");
  }
  if (const toml::table* inner = fields.table("expect")) {
    Fields expect(*inner, "variant.call.expect", problems);
    expect.text("contains", call.expect.contains);
    expect.size("min_bytes", call.expect.min_bytes);
    expect.size("max_bytes", call.expect.max_bytes);
    std::string equals;
    expect.text("equals", equals);
    if (inner->contains("equals")) call.expect.equals = equals;
    expect.text("pointer", call.expect.pointer);
    if (const toml::node* value = expect.any("value"))
      call.expect.value = json_text(*value, problems);
    expect.size("count", call.expect.count);
    std::optional<bool> same;
    expect.boolean("same_result", same);
    call.expect.same_result = same.value_or(false);
  }
}

void read_variant(const toml::table& table, Variant& variant, Problems& problems) {
  Fields fields(table, "[variant]", problems);
  fields.text("name", variant.name);
  fields.texts("args", variant.args);
  fields.environment("env", variant.env);
  fields.integer("parallel", variant.parallel);
  if (const toml::table* inner = fields.table("call"))
    read_call(*inner, variant.call.emplace(), problems);
}

void read_refusal(const toml::table& table, RefusalRule& rule, Problems& problems) {
  Fields fields(table, "[refusal]", problems);
  fields.integer("status", rule.status);
  fields.integer("code", rule.code);
  fields.boolean("is_error", rule.is_error);
  fields.text("text_prefix", rule.text_prefix);
}

void read_route(const toml::table& table, Route& route, Problems& problems) {
  Fields fields(table, "standin.upstream.routes", problems);
  fields.text("method", route.method);
  fields.text("path", route.path);
  fields.integer("status", route.status);
  fields.duration("delay", route.delay);
  fields.text("body", route.body);
  if (const toml::node* json = fields.any("json")) {
    if (!route.body.empty())
      fields.refuse(*json, "a route has either `json` or `body`, not both", "Remove one of them");
    route.body = json_text(*json, problems);
  }
  fields.size("body_bytes", route.body_bytes);
  fields.pairs("headers", route.headers);
}

void read_standins(const toml::table& table, Plan& plan, Problems& problems) {
  Fields fields(table, "standin", problems);
  if (const toml::table* inner = fields.table("upstream")) {
    Fields upstream(*inner, "standin.upstream", problems);
    plan.upstream.emplace();
    upstream.duration("delay", plan.upstream->delay);
    for (const toml::table* route : upstream.tables("routes"))
      read_route(*route, plan.upstream->routes.emplace_back(), problems);
  }
  if (const toml::table* inner = fields.table("otlp")) {
    Fields otlp(*inner, "standin.otlp", problems);
    plan.otlp.emplace();
    otlp.texts("args", plan.otlp->args);
    otlp.environment("env", plan.otlp->env);
  }
}

void read_run(const toml::table& table, RunSettings& run, Problems& problems) {
  Fields fields(table, "run", problems);
  fields.integer("stdio_clients", run.stdio_clients);
  fields.integer("http_clients", run.http_clients);
  fields.integer("rounds", run.rounds);
  fields.integer("repeat", run.repeat);
  fields.texts("telemetry", run.telemetry);
  fields.texts("args", run.args);
  fields.environment("env", run.env);
  fields.duration("sample_interval", run.sample_interval);
  fields.duration("ready_timeout", run.ready_timeout);
  fields.duration("call_timeout", run.call_timeout);
  fields.duration("first_list_timeout", run.first_list_timeout);
}

void read_publish(const toml::table& table, Publish& publish, Problems& problems) {
  Fields fields(table, "publish", problems);
  fields.text("record", publish.record);
  fields.texts("pages", publish.pages);
}

void read_target(const toml::table& table, Plan& plan, Problems& problems) {
  Fields fields(table, "target", problems);
  if (const toml::table* inner = fields.table("stdio"))
    read_stdio(*inner, plan.stdio.emplace(), problems);
  if (const toml::table* inner = fields.table("http"))
    read_http(*inner, plan.http.emplace(), problems);
}

/// Tables of modes that are planned. Told apart from slips, so that nobody looks for a typo.
void refuse_later_modes(Fields& fields) {
  static constexpr std::array kLater{"series", "held", "sessions", "fairness",
                                     "soak",   "cold", "compare"};
  for (const char* mode : kLater) {
    fields.refuse_key(mode, fmt::format("the mode [{}] is not built yet", mode),
                      "Remove the table from the plan");
  }
}

}  // namespace

void read_sections(const toml::table& document, Plan& plan, Problems& problems) {
  Fields fields(document, "", problems);
  std::optional<int> schema;
  fields.integer("schema", schema);
  plan.schema = schema.value_or(plan.schema);
  fields.text("name", plan.name);
  fields.text("protocol", plan.protocol);
  fields.texts("strip_env", plan.strip_env);
  if (const toml::table* inner = fields.table("target")) read_target(*inner, plan, problems);
  for (const toml::table* variant : fields.tables("variant"))
    read_variant(*variant, plan.variants.emplace_back(), problems);
  for (const toml::table* refusal : fields.tables("refusal"))
    read_refusal(*refusal, plan.refusals.emplace_back(), problems);
  if (const toml::table* inner = fields.table("standin")) read_standins(*inner, plan, problems);
  if (const toml::table* inner = fields.table("run")) read_run(*inner, plan.run, problems);
  if (const toml::table* inner = fields.table("publish"))
    read_publish(*inner, plan.publish.emplace(), problems);
  refuse_later_modes(fields);
}

}  // namespace weighbridge::plan::detail
