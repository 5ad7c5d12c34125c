#include "target/environment.h"

#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/words.h"

namespace weighbridge::target {

TargetEnvironment make_environment(const std::vector<std::string>& inherited,
                                   const std::vector<std::string>& strip_globs,
                                   const plan::Environment& added) {
  TargetEnvironment result;
  std::map<std::string, std::string> merged;
  for (const std::string& entry : inherited) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || equals == 0) continue;
    const std::string name = entry.substr(0, equals);
    const bool stripped = std::ranges::any_of(
        strip_globs, [&](const std::string& glob) { return matches_glob(glob, name); });
    if (stripped) {
      result.stripped_names.push_back(name);
      continue;
    }
    if (merged.emplace(name, entry.substr(equals + 1)).second && !added.contains(name)) {
      result.inherited_names.push_back(name);
    }
  }
  for (const auto& [name, value] : added) merged[name] = value;
  result.entries.reserve(merged.size());
  for (const auto& [name, value] : merged) result.entries.push_back(name + "=" + value);
  std::ranges::sort(result.inherited_names);
  std::ranges::sort(result.stripped_names);
  return result;
}

std::vector<std::string> own_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    entries.emplace_back(*entry);
  return entries;
}

}  // namespace weighbridge::target
