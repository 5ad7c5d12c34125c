#include "plan/config_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/words.h"
#include "plan/detail/config_server.h"
#include "plan/detail/jsonc.h"
#include "plan/detail/text_file.h"

namespace weighbridge::plan {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using detail::Dialect;

/// What kind of file it is, and the servers in it.
struct Servers {
  Dialect dialect{};
  const Json* table = nullptr;
};

Result<Servers> servers_of(const Json& document, const fs::path& path) {
  const auto table = [&](const char* key) -> const Json* {
    if (!document.is_object() || !document.contains(key)) return nullptr;
    return document[key].is_object() ? &document[key] : nullptr;
  };
  if (const Json* const servers = table("mcpServers")) {
    const bool desktop = path.filename() == "claude_desktop_config.json";
    return Servers{desktop ? Dialect::literal : Dialect::shell, servers};
  }
  if (const Json* const servers = table("servers")) return Servers{Dialect::vscode, servers};
  return fail(ErrorCode::plan, "the file has neither a table \"mcpServers\" nor \"servers\"",
              path.string(),
              "Name the file in which an MCP client keeps its servers, as .mcp.json or "
              ".vscode/mcp.json");
}

Result<std::string> chosen_server(const Json& table, const ConfigChoice& choice) {
  std::vector<std::string> names;
  for (const auto& [name, server] : table.items()) names.push_back(name);
  const std::string all = fmt::format("The file has: {}", fmt::join(names, ", "));
  if (names.empty())
    return fail(ErrorCode::plan, "the file names no server", choice.file, "Add one to it");
  if (choice.server.empty()) {
    if (names.size() == 1) return names.front();
    return fail(ErrorCode::plan, fmt::format("the file names {} servers", names.size()),
                choice.file, "Choose one with --server NAME. " + all);
  }
  if (table.contains(choice.server)) return choice.server;
  const std::string near = nearest_word(choice.server, names);
  return fail(ErrorCode::plan, fmt::format("there is no server \"{}\"", choice.server), choice.file,
              near.empty() ? all : fmt::format("Did you mean \"{}\"? {}", near, all));
}

std::string text_at(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>()
                                                         : std::string();
}

/// VS Code's `inputs`; entries that make no sense are left to whoever uses them.
std::vector<detail::Input> inputs_of(const Json& document) {
  std::vector<detail::Input> inputs;
  if (!document.contains("inputs") || !document["inputs"].is_array()) return inputs;
  for (const Json& entry : document["inputs"]) {
    if (!entry.is_object() || text_at(entry, "id").empty()) continue;
    detail::Input& input = inputs.emplace_back();
    input.id = text_at(entry, "id");
    input.description = text_at(entry, "description");
    if (entry.contains("default") && entry["default"].is_string())
      input.standard = entry["default"].get<std::string>();
    input.password = entry.contains("password") && entry["password"] == true;
    if (!entry.contains("options") || !entry["options"].is_array()) continue;
    for (const Json& option : entry["options"]) {
      if (option.is_string()) input.options.push_back(option.get<std::string>());
      if (option.is_object()) input.options.push_back(text_at(option, "value"));
    }
  }
  return inputs;
}

Result<void> judge_inputs(const std::vector<detail::Input>& inputs, const ConfigChoice& choice) {
  std::vector<std::string> ids;
  for (const detail::Input& input : inputs) ids.push_back(input.id);
  for (const auto& [id, value] : choice.inputs) {
    const auto known = std::ranges::find(inputs, id, &detail::Input::id);
    if (known == inputs.end()) {
      const std::string near = nearest_word(id, ids);
      return fail(ErrorCode::plan, fmt::format("the file has no input \"{}\"", id), choice.file,
                  !near.empty() ? fmt::format("Did you mean \"{}\"?", near)
                  : ids.empty() ? "It has none: leave out --input"
                                : fmt::format("It has: {}", fmt::join(ids, ", ")));
    }
    if (!known->options.empty() && std::ranges::find(known->options, value) == known->options.end())
      return fail(ErrorCode::plan, fmt::format("the input \"{}\" has no such option", id),
                  choice.file, fmt::format("Choose one of: {}", fmt::join(known->options, ", ")));
  }
  return {};
}

/// The folder that an editor would have open: the one that holds `.vscode`, `.cursor` or the file.
fs::path folder_of(const fs::path& file) {
  const fs::path parent = fs::absolute(file).lexically_normal().parent_path();
  const bool hidden = parent.filename() == ".vscode" || parent.filename() == ".cursor";
  return hidden ? parent.parent_path() : parent;
}

/// A server's name as the name of a plan, which may hold less.
std::string plan_name(std::string name) {
  name = name.substr(0, 64);
  std::ranges::replace_if(
      name,
      [](unsigned char c) {
        return c >= 0x80 ||
               (std::isalnum(c) == 0 &&
                std::string_view("_-. ").find(static_cast<char>(c)) == std::string::npos);
      },
      '-');
  return name.empty() ? "server" : name;
}

Result<void> judge_missing(const detail::Variables& variables, const std::string& where) {
  if (variables.missing().empty()) return {};
  std::vector<std::string> names;
  std::vector<std::string> remedies;
  for (const auto& missing : variables.missing()) {
    names.push_back(missing.variable);
    if (std::ranges::find(remedies, missing.remedy) == remedies.end())
      remedies.push_back(missing.remedy);
  }
  std::string remedy = fmt::format("{}", fmt::join(remedies, "; "));
  remedy.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(remedy.front())));
  return fail(
      ErrorCode::plan,
      fmt::format("{} {} no value", fmt::join(names, ", "), names.size() == 1 ? "has" : "have"),
      where, remedy);
}

}  // namespace

Result<Plan> plan_from_config(const ConfigChoice& choice) {
  const std::string remedy =
      "Name the file in which an MCP client keeps its servers, as .mcp.json or .vscode/mcp.json";
  WB_TRY(const std::string text, detail::read_text(choice.file, "the servers' file", remedy));
  WB_TRY(const Json document, detail::parse_jsonc(text, choice.file));
  const fs::path path(choice.file);
  WB_TRY(const Servers servers, servers_of(document, path));
  WB_TRY(const std::string name, chosen_server(*servers.table, choice));
  const auto inputs =
      servers.dialect == Dialect::vscode ? inputs_of(document) : std::vector<detail::Input>{};
  WB_CHECK(judge_inputs(inputs, choice));

  const std::string folder = folder_of(path).string();
  const std::string where = fmt::format("server \"{}\" in {}", name, choice.file);
  detail::Variables variables(servers.dialect, {.environment = choice.environment,
                                                .inputs = inputs,
                                                .given = choice.inputs,
                                                .folder = folder});
  Plan plan;
  plan.name = plan_name(name);
  plan.variants.emplace_back().name = "default";
  plan.directory = fs::current_path().string();
  // Those two start a server in the folder that is open; the others where they run themselves.
  const bool in_folder = servers.dialect == Dialect::vscode || path.filename() == ".mcp.json";
  WB_CHECK(detail::read_server({.entry = (*servers.table)[name],
                                .where = where,
                                .folder = folder,
                                .directory = in_folder ? folder : std::string(),
                                .variables = variables},
                               plan));
  WB_CHECK(judge_missing(variables, where));
  plan.secrets = variables.secrets();
  return plan;
}

}  // namespace weighbridge::plan
