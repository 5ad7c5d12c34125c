#include "cli/run_name.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/words.h"

namespace weighbridge::cli {
namespace {

using Words = std::span<const std::string>;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// Letters, digits, dot, dash and underscore; what a plan's name allows and every file system too.
std::string fit_for_a_file(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, 48)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       is_one_of(std::string_view(&c, 1), {".", "-", "_"});
    name += plain ? c : '-';
  }
  const std::size_t begin = name.find_first_not_of(".-");
  return begin == std::string::npos ? "server" : name.substr(begin);
}

/// "@acme/server-files@1.2" is "server-files".
std::string package_name(std::string_view package) {
  const std::size_t scope = package.find('/');
  if (package.starts_with('@') && scope != std::string_view::npos) package.remove_prefix(scope + 1);
  return std::string(package.substr(0, package.find_first_of("@=<>[")));
}

/// A script's own name, or that of the nearest folder that says more than "index" or "dist".
std::string script_name(const std::filesystem::path& script) {
  for (std::filesystem::path part = script; !part.filename().empty(); part = part.parent_path()) {
    const std::string stem = part == script ? part.stem().string() : part.filename().string();
    if (!is_one_of(stem, {"index", "main", "server", "cli", "app", "__main__", "dist", "build",
                          "src", "bin", "lib", "out", ".", ".."}))
      return stem;
  }
  return script.stem().string();
}

Words after_flags(Words words) {
  const auto first =
      std::ranges::find_if(words, [](const std::string& word) { return !word.starts_with('-'); });
  return words.subspan(static_cast<std::size_t>(first - words.begin()));
}

std::string name_of(Words words) {
  if (words.empty()) return {};
  const std::string program = std::filesystem::path(words[0]).filename().string();
  const Words rest = words.subspan(1);
  if (program == "env") {
    const auto command = std::ranges::find_if(rest, [](const std::string& word) {
      return !word.starts_with('-') && word.find('=') == std::string::npos;
    });
    return name_of(rest.subspan(static_cast<std::size_t>(command - rest.begin())));
  }
  if (is_one_of(program, {"sh", "bash", "dash", "zsh"})) {
    const Words script = after_flags(rest);
    if (script.empty()) return program;
    const bool inline_script = script.data() != rest.data() && rest[0].find('c') != rest[0].npos;
    return inline_script ? name_of(split(trim(script[0]), ' ')) : script_name(script[0]);
  }
  if (is_one_of(program, {"npm", "pnpm", "yarn", "uv", "pipx", "bun", "deno", "docker", "go"})) {
    // npm exec X, uv tool run X, docker run X
    Words words_left = after_flags(rest);
    while (!words_left.empty() &&
           is_one_of(words_left[0], {"exec", "run", "tool", "dlx", "x", "start"}))
      words_left = after_flags(words_left.subspan(1));
    return words_left.empty() ? program : script_name(package_name(words_left[0]));
  }
  if (is_one_of(program, {"npx", "pnpx", "bunx", "uvx"})) {
    const Words package = after_flags(rest);
    return package.empty() ? program : package_name(package[0]);
  }
  if (is_one_of(program, {"node", "nodejs", "ruby", "java", "perl", "php"}) ||
      program.starts_with("python")) {
    const Words script = after_flags(rest);
    return script.empty() ? program : script_name(script[0]);
  }
  return script_name(words[0]);
}

}  // namespace

std::string name_of_command(const std::vector<std::string>& command) {
  return fit_for_a_file(name_of(command));
}

std::string name_of_url(const std::string& url) {
  std::string_view rest = url;
  if (const auto scheme = rest.find("://"); scheme != rest.npos) rest.remove_prefix(scheme + 3);
  rest = rest.substr(0, rest.find_first_of("/?#"));
  // A password in a URL must not become the name of a folder.
  if (const auto user = rest.rfind('@'); user != rest.npos) rest.remove_prefix(user + 1);
  return fit_for_a_file(rest);
}

}  // namespace weighbridge::cli
