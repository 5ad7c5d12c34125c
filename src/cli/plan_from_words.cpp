#include "cli/plan_from_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/words.h"
#include "cli/run_name.h"
#include "plan/config_file.h"
#include "plan/read.h"

namespace weighbridge::cli {
namespace {

constexpr int kQuickClients = 2;
constexpr int kQuickParallel = 2;

std::unexpected<Error> contradiction(std::string what, std::string remedy) {
  return fail(ErrorCode::usage, std::move(what), {}, std::move(remedy));
}

bool listens_on_free_port(const RunWords& words) {
  return words.url.find("{port}") != std::string::npos;
}

Result<plan::Plan> plan_for_server(const RunWords& words) {
  plan::Plan plan;
  plan.variants.emplace_back().name = "default";
  plan.directory = std::filesystem::current_path().string();
  if (words.url.empty()) {
    plan.name = name_of_command(words.command);
    plan.stdio.emplace().command = words.command;
    return plan;
  }
  plan.name = words.command.empty() ? name_of_url(words.url) : name_of_command(words.command);
  if (words.command.empty() && listens_on_free_port(words))
    return contradiction("nobody was told to listen on {port}",
                         "Give the command that does after --, or the URL of a server that runs");
  plan.http.emplace().url = words.url;
  plan.http->command = words.command;
  return plan;
}

std::optional<std::string> own_variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Result<plan::Plan> plan_to_begin_with(const RunWords& words) {
  const bool named = !words.command.empty() || !words.url.empty();
  if (!words.config.file.empty()) {
    if (named || !words.plan.empty())
      return contradiction(fmt::format("both --config and {} name a server",
                                       !words.plan.empty() ? words.plan
                                       : words.url.empty() ? "the command after --"
                                                           : "--url"),
                           "Name it once");
    return plan_from_config_words(words.config);
  }
  if (!words.plan.empty()) {
    if (named)
      return contradiction(fmt::format("both the plan {} and {} name a server", words.plan,
                                       words.url.empty() ? "the command after --" : "--url"),
                           "Name it once");
    if (!std::filesystem::exists(words.plan))
      return contradiction(fmt::format("there is no plan file {}", words.plan),
                           "A command is weighed as: weighbridge run -- COMMAND…");
    return plan::read_plan(words.plan);
  }
  if (!named)
    return contradiction("no server was named",
                         "Name a plan, a command after --, --url or --config. See weighbridge run "
                         "--help");
  return plan_for_server(words);
}

/// "NAME=value" into its halves.
Result<std::pair<std::string, std::string>> assignment(const std::string& text,
                                                       std::string_view flag,
                                                       std::string_view example) {
  const std::size_t equals = text.find('=');
  // The value may be a secret, so the message shows none of it.
  if (equals == std::string::npos || equals == 0)
    return fail(ErrorCode::usage, fmt::format("{} needs a name and a value", flag), {},
                fmt::format("Write for example {} {}", flag, example));
  return std::pair{text.substr(0, equals), text.substr(equals + 1)};
}

Result<void> apply_environment(const RunWords& words, plan::Plan& plan) {
  for (const std::string& text : words.env) {
    WB_TRY(const auto pair, assignment(text, "--env", "LOG_LEVEL=error"));
    if (plan.stdio) plan.stdio->env.insert_or_assign(pair.first, pair.second);
    if (plan.http && !plan.http->command.empty())
      plan.http->env.insert_or_assign(pair.first, pair.second);
  }
  const bool nothing_started = !plan.stdio && plan.http && plan.http->command.empty();
  if (!words.env.empty() && nothing_started)
    return contradiction("--env cannot reach a server that runs already",
                         "Give the command that starts it after --");
  return {};
}

Result<void> apply_headers(const RunWords& words, plan::Plan& plan) {
  if (words.headers.empty()) return {};
  if (!plan.http)
    return contradiction("--header needs a server over HTTP",
                         "On stdio a server is told by --env NAME=VALUE");
  for (const std::string& text : words.headers) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || colon == 0)
      return fail(ErrorCode::usage, "--header needs a name and a value", {},
                  "Write for example --header 'X-Team: search'");
    std::string name(trim(text.substr(0, colon)));
    std::erase_if(plan.http->headers,
                  [&](const auto& header) { return equals_ignoring_case(header.first, name); });
    plan.http->headers.emplace_back(std::move(name), trim(text.substr(colon + 1)));
  }
  return {};
}

/// A token that stands in a variable, so that no list of processes shows it.
Result<void> apply_bearer(const RunWords& words, plan::Plan& plan) {
  if (!words.credential.empty())
    return contradiction("--bearer-env and --credential are both a credential", "Give one of them");
  if (!plan.http)
    return contradiction("--bearer-env needs a server over HTTP",
                         "On stdio a server inherits your variables, or is told by --env");
  const auto token = own_variable(words.bearer_env);
  if (!token || token->empty())
    return fail(ErrorCode::usage,
                fmt::format("the variable {} that --bearer-env names {}", words.bearer_env,
                            token ? "is empty" : "is not set"),
                {}, "Set it to the token; weighbridge adds the word Bearer");
  plan.http->credential =
      plan::Credential{.header = "Authorization", .environment = {}, .value = "Bearer " + *token};
  return {};
}

/// "?name=value": a parameter of the url.
Result<void> apply_query_credential(const std::string& text, plan::Plan& plan) {
  if (!plan.http)
    return contradiction(
        "--credential names a parameter of a url, but no server is called over "
        "HTTP",
        "On stdio write 'NAME=value-{credential}'");
  WB_TRY(auto pair, assignment(text.substr(1), "--credential", "'?api_key=token-{credential}'"));
  plan.http->credential = plan::Credential{.header = {},
                                           .environment = {},
                                           .value = std::move(pair.second),
                                           .query = std::move(pair.first)};
  return {};
}

Result<void> apply_credential(const RunWords& words, plan::Plan& plan) {
  if (!words.bearer_env.empty()) return apply_bearer(words, plan);
  if (words.credential.empty()) return {};
  const std::string& text = words.credential;
  if (text.starts_with('?')) return apply_query_credential(text, plan);
  const std::size_t separator = text.find_first_of(":=");
  if (separator == std::string::npos || separator == 0)
    return fail(
        ErrorCode::usage, "--credential needs a name and a value", {},
        "Write 'PRIVATE-TOKEN: token-{credential}', or on stdio 'TOKEN=token-{credential}'");
  const bool header = text[separator] == ':';
  const std::string name(trim(text.substr(0, separator)));
  const std::string value(trim(text.substr(separator + 1)));
  if (header && !plan.http)
    return contradiction("--credential names a header, but no server is called over HTTP",
                         "On stdio write 'NAME=value-{credential}'");
  if (!header && !plan.stdio)
    return contradiction("--credential names a variable, but no server is started on stdio",
                         "Over HTTP write 'HEADER: value-{credential}'");
  if (header)
    plan.http->credential = plan::Credential{.header = name, .environment = {}, .value = value};
  else
    plan.stdio->credential = plan::Credential{.header = {}, .environment = name, .value = value};
  return {};
}

Result<void> apply_way(const RunWords& words, plan::Plan& plan) {
  const bool asked = !words.ca_file.empty() || words.insecure || !words.proxy.empty();
  if (!asked) return {};
  if (!plan.http)
    return contradiction(
        fmt::format("{} needs a server over HTTP", !words.ca_file.empty() ? "--ca-file"
                                                   : words.insecure       ? "--insecure"
                                                                          : "--proxy"),
        "Leave it out on stdio");
  if (!words.ca_file.empty()) plan.http->ca_file = words.ca_file;
  plan.http->insecure |= words.insecure;
  if (!words.proxy.empty()) plan.http->proxy = words.proxy;
  return {};
}

Result<void> apply_server(const RunWords& words, plan::Plan& plan) {
  WB_CHECK(apply_environment(words, plan));
  WB_CHECK(apply_headers(words, plan));
  WB_CHECK(apply_credential(words, plan));
  WB_CHECK(apply_way(words, plan));
  if (words.pid) {
    if (!plan.http || !plan.http->command.empty())
      return contradiction("--pid is for a server that runs already",
                           "Give it with --url; a server that is started here needs none");
    plan.http->pid = words.pid;
  }
  if (words.pipes) {
    if (!plan.stdio)
      return contradiction("--pipes needs a server on stdio", "Leave it out over HTTP");
    plan.stdio->pipes = true;
  }
  if (!words.protocol.empty()) plan.protocol = words.protocol;
  return {};
}

Result<void> apply_call(const RunWords& words, plan::Plan& plan) {
  if (!words.arguments.empty()) {
    const auto arguments = nlohmann::json::parse(words.arguments, nullptr, false);
    if (!arguments.is_object())
      return fail(ErrorCode::usage, "--arguments is not a JSON object", {},
                  R"(Write for example --arguments '{"query":"list issues"}')");
  }
  for (plan::Variant& variant : plan.variants) {
    // Another tool is another call: the plan's arguments and expectation were not meant for it.
    if (!words.tool.empty()) variant.call.emplace().tool = words.tool;
    if (words.arguments.empty() && words.expect.empty()) continue;
    if (!variant.call)
      return contradiction(
          fmt::format("{} without --tool", words.arguments.empty() ? "--expect" : "--arguments"),
          "Say which tool it is for with --tool NAME");
    if (!words.arguments.empty()) variant.call->arguments = words.arguments;
    if (!words.expect.empty()) variant.call->expect.contains = words.expect;
  }
  return {};
}

/// Quick never makes a run larger than its plan; what a flag says counts for more than either.
void apply_size(const RunWords& words, plan::Plan& plan) {
  plan::RunSettings& run = plan.run;
  if (words.quick) {
    run.stdio_clients = std::min(run.stdio_clients, kQuickClients);
    run.http_clients = std::min(run.http_clients, kQuickClients);
    run.rounds = 1;
    run.repeat = 1;
  }
  for (plan::Variant& variant : plan.variants) {
    if (words.quick) variant.parallel = std::min(variant.parallel, kQuickParallel);
    variant.parallel = words.parallel.value_or(variant.parallel);
  }
  run.stdio_clients = words.clients.value_or(run.stdio_clients);
  run.http_clients = words.clients.value_or(run.http_clients);
  run.rounds = words.rounds.value_or(run.rounds);
  run.repeat = words.repeat.value_or(run.repeat);
  run.sample_interval = words.sample_interval.value_or(run.sample_interval);
  run.ready_timeout = words.ready_timeout.value_or(run.ready_timeout);
  run.call_timeout = words.call_timeout.value_or(run.call_timeout);
}

}  // namespace

Result<plan::Plan> plan_from_config_words(const ConfigWords& words) {
  plan::ConfigChoice choice{
      .file = words.file, .server = words.server, .inputs = {}, .environment = own_variable};
  for (const std::string& text : words.inputs) {
    WB_TRY(auto pair, assignment(text, "--input", "github_token=VALUE"));
    choice.inputs.insert_or_assign(std::move(pair.first), std::move(pair.second));
  }
  return plan::plan_from_config(choice);
}

Result<plan::Plan> plan_from_words(const RunWords& words) {
  WB_TRY(plan::Plan plan, plan_to_begin_with(words));
  WB_CHECK(apply_server(words, plan));
  WB_CHECK(apply_call(words, plan));
  apply_size(words, plan);
  WB_CHECK(plan::validate(plan));
  return plan;
}

std::vector<std::string> flags_that_differ(const RunWords& words) {
  const std::pair<bool, const char*> flags[] = {
      {words.quick, "--quick"},
      {!words.only.empty(), "--only"},
      {words.rounds.has_value(), "--rounds"},
      {words.repeat.has_value(), "--repeat"},
      {words.clients.has_value(), "--clients"},
      {words.parallel.has_value(), "--parallel"},
      {words.sample_interval.has_value(), "--sample-interval"},
      {words.ready_timeout.has_value(), "--ready-timeout"},
      {words.call_timeout.has_value(), "--call-timeout"},
      {!words.protocol.empty(), "--protocol"},
      {!words.tool.empty(), "--tool"},
      {!words.arguments.empty(), "--arguments"},
      {!words.expect.empty(), "--expect"},
      {!words.headers.empty(), "--header"},
      {!words.credential.empty(), "--credential"},
      {words.insecure, "--insecure"},
      {!words.proxy.empty(), "--proxy"},
      {!words.env.empty(), "--env"},
      {words.pid.has_value(), "--pid"},
      {words.pipes, "--pipes"}};
  std::vector<std::string> given;
  for (const auto& [is_given, flag] : flags)
    if (is_given) given.emplace_back(flag);
  return given;
}

}  // namespace weighbridge::cli
