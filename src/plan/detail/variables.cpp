#include "plan/detail/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "plan/redactor.h"

namespace weighbridge::plan::detail {
namespace {

std::string in_braces(std::string_view name) {
  return fmt::format("${{{}}}", name);
}

}  // namespace

Variables::Variables(Dialect dialect, Values values)
    : dialect_(dialect), values_(std::move(values)) {}

std::string Variables::operator()(std::string_view text) {
  if (dialect_ == Dialect::literal) return std::string(text);
  std::string filled;
  std::size_t copied = 0;
  for (std::size_t open = text.find("${"); open != text.npos; open = text.find("${", copied)) {
    const std::size_t close = text.find('}', open);
    if (close == text.npos) break;
    const std::string name(text.substr(open + 2, close - open - 2));
    filled += text.substr(copied, open - copied);
    filled += value_of(name).value_or(in_braces(name));
    copied = close + 1;
  }
  filled += text.substr(copied);
  return filled;
}

std::optional<std::string> Variables::value_of(const std::string& name) {
  if (auto word = folder_word(name)) return word;
  if (name.starts_with("env:")) return environment(name.substr(4), std::nullopt);
  if (dialect_ == Dialect::vscode) {
    if (name.starts_with("input:")) return input(name.substr(6));
    miss(in_braces(name), "write its value in its place, as only the editor knows it");
    return std::nullopt;
  }
  const std::size_t colon = name.find(":-");
  if (colon == name.npos) return environment(name, std::nullopt);
  return environment(name.substr(0, colon), name.substr(colon + 2));
}

std::optional<std::string> Variables::environment(const std::string& name,
                                                  const std::optional<std::string>& standard) {
  auto value = values_.environment(name);
  // As in a shell, an empty variable has no value where a default is given.
  if (standard && (!value || value->empty())) return standard;
  if (!value) {
    miss(in_braces(dialect_ == Dialect::vscode ? "env:" + name : name),
         fmt::format("set the variable {}", name));
    return std::nullopt;
  }
  if (Redactor::tells_of_secret(name)) secrets_.push_back(*value);
  return value;
}

std::optional<std::string> Variables::input(const std::string& id) {
  const auto known = std::ranges::find(values_.inputs, id, &Input::id);
  const bool described = known != values_.inputs.end();
  const auto given = values_.given.find(id);
  std::optional<std::string> value;
  if (given != values_.given.end())
    value = given->second;
  else if (described)
    value = known->standard;
  if (!value) {
    const std::string description = described ? known->description : std::string();
    miss(description.empty() ? in_braces("input:" + id)
                             : fmt::format("{} ({})", in_braces("input:" + id), description),
         fmt::format("give --input {}=VALUE", id));
    return std::nullopt;
  }
  if ((described && known->password) || Redactor::tells_of_secret(id)) secrets_.push_back(*value);
  return value;
}

/// What VS Code and Cursor know without being told.
std::optional<std::string> Variables::folder_word(const std::string& name) const {
  if (name == "workspaceFolder") return values_.folder;
  if (name == "workspaceFolderBasename")
    return std::filesystem::path(values_.folder).filename().string();
  if (name == "userHome") return values_.environment("HOME");
  if (name == "pathSeparator" || name == "/") return "/";
  return std::nullopt;
}

void Variables::miss(std::string variable, std::string remedy) {
  if (std::ranges::find(missing_, variable, &Missing::variable) != missing_.end()) return;
  missing_.push_back({std::move(variable), std::move(remedy)});
}

}  // namespace weighbridge::plan::detail
