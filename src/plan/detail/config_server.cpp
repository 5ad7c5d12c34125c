#include "plan/detail/config_server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/words.h"
#include "plan/detail/text_file.h"

namespace weighbridge::plan::detail {
namespace {

using Json = nlohmann::ordered_json;

std::unexpected<Error> wrong(const ConfigServer& server, std::string what, std::string remedy) {
  return fail(ErrorCode::plan, std::move(what), server.where, std::move(remedy));
}

/// A text with its variables filled in; empty when the key is not there.
Result<std::string> text_of(const ConfigServer& server, const char* key) {
  if (!server.entry.contains(key) || server.entry[key].is_null()) return std::string();
  const Json& value = server.entry[key];
  if (!value.is_string())
    return wrong(server, fmt::format("\"{}\" is not a text", key), "Write it in double quotes");
  return server.variables(value.get<std::string>());
}

Result<std::vector<std::string>> args_of(const ConfigServer& server) {
  std::vector<std::string> args;
  if (!server.entry.contains("args")) return args;
  const Json& list = server.entry["args"];
  if (!list.is_array() ||
      !std::ranges::all_of(list, [](const Json& arg) { return arg.is_string(); }))
    return wrong(server, "\"args\" is not a list of texts",
                 R"(Write for example ["-y", "server"])");
  for (const Json& arg : list) args.push_back(server.variables(arg.get<std::string>()));
  return args;
}

/// A table of texts: `env` or `headers`. Numbers and truths are taken as they are written.
Result<std::vector<std::pair<std::string, std::optional<std::string>>>> pairs_of(
    const ConfigServer& server, const char* key) {
  std::vector<std::pair<std::string, std::optional<std::string>>> pairs;
  if (!server.entry.contains(key)) return pairs;
  const Json& table = server.entry[key];
  if (!table.is_object())
    return wrong(server, fmt::format("\"{}\" is not a table of texts", key),
                 R"(Write for example { "NAME": "value" })");
  for (const auto& [name, value] : table.items()) {
    if (value.is_structured())
      return wrong(server, fmt::format("\"{}\" in \"{}\" is not a text", name, key),
                   "Write it in double quotes");
    if (value.is_null())
      pairs.emplace_back(name, std::nullopt);
    else
      pairs.emplace_back(
          name, value.is_string() ? server.variables(value.get<std::string>()) : value.dump());
  }
  return pairs;
}

std::string in_folder(const ConfigServer& server, const std::string& path) {
  return (std::filesystem::path(server.folder) / path).lexically_normal().string();
}

Result<void> read_stdio(const ConfigServer& server, Plan& plan) {
  StdioTarget& stdio = plan.stdio.emplace();
  WB_TRY(std::string command, text_of(server, "command"));
  if (command.empty())
    return wrong(server, "the server has no command", R"(Write for example "command": "npx")");
  stdio.command.push_back(std::move(command));
  WB_TRY(std::vector<std::string> args, args_of(server));
  std::ranges::move(args, std::back_inserter(stdio.command));
  WB_TRY(const std::string env_file, text_of(server, "envFile"));
  if (!env_file.empty()) {
    WB_TRY(const std::string text,
           read_text(in_folder(server, env_file), "the envFile of " + server.where,
                     "Write that file, or remove envFile"));
    stdio.env = parse_env_file(text);
  }
  WB_TRY(const auto env, pairs_of(server, "env"));
  for (const auto& [name, value] : env) {
    if (value)
      stdio.env[name] = *value;
    else
      plan.strip_env.push_back(name);  // null: not inherited
  }
  WB_TRY(const std::string directory, text_of(server, "cwd"));
  stdio.directory = directory.empty() ? server.directory : in_folder(server, directory);
  return {};
}

Result<void> read_http(const ConfigServer& server, Plan& plan) {
  HttpTarget& http = plan.http.emplace();
  WB_TRY(http.url, text_of(server, "url"));
  if (http.url.empty())
    return wrong(server, "the server has no url",
                 R"(Write for example "url": "https://mcp.example.com/mcp")");
  WB_TRY(const auto headers, pairs_of(server, "headers"));
  for (const auto& [name, value] : headers) http.headers.emplace_back(name, value.value_or(""));
  return {};
}

}  // namespace

Result<void> read_server(const ConfigServer& server, Plan& plan) {
  static const std::vector<std::string> kTypes{"stdio", "http", "streamable-http", "sse"};
  if (!server.entry.is_object())
    return wrong(server, "the server is not a table", R"(Write for example { "command": "npx" })");
  WB_TRY(std::string type, text_of(server, "type"));
  if (type == "streamableHttp") type = "streamable-http";
  if (!type.empty() && std::ranges::find(kTypes, type) == kTypes.end()) {
    const std::string near = nearest_word(type, kTypes);
    return wrong(server, fmt::format("\"{}\" is no type of server", type),
                 near.empty() ? fmt::format("Write one of: {}", fmt::join(kTypes, ", "))
                              : fmt::format("Did you mean \"{}\"?", near));
  }
  if (!type.empty()) return type == "stdio" ? read_stdio(server, plan) : read_http(server, plan);
  if (server.entry.contains("command") == server.entry.contains("url"))
    return wrong(server,
                 server.entry.contains("url") ? "the server has both a command and a url"
                                              : "the server has neither a command nor a url",
                 "Keep one of them, or say which by \"type\": \"stdio\" or \"http\"");
  return server.entry.contains("command") ? read_stdio(server, plan) : read_http(server, plan);
}

Environment parse_env_file(std::string_view text) {
  Environment env;
  for (const std::string& raw : split(text, '\n')) {
    std::string_view line = trim(raw);
    if (line.starts_with("export ")) line = trim(line.substr(7));
    const std::size_t equals = line.find('=');
    if (line.starts_with('#') || equals == line.npos) continue;
    std::string_view value = trim(line.substr(equals + 1));
    const bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
                        value.back() == value.front();
    if (quoted)
      value = value.substr(1, value.size() - 2);
    else
      value = trim(value.substr(0, value.find(" #")));
    env[std::string(trim(line.substr(0, equals)))] = value;
  }
  return env;
}

}  // namespace weighbridge::plan::detail
