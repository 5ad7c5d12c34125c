#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weighbridge::plan::detail {

/// How a client writes variables in its configuration.
enum class Dialect {
  literal,  ///< Claude Desktop: not at all
  shell,    ///< Claude Code's ${NAME} and ${NAME:-default}; Cursor's ${env:NAME} beside them
  vscode,   ///< ${env:NAME}, ${input:id}, ${workspaceFolder}, ${userHome}, …
};

/// One entry of VS Code's `inputs`.
struct Input {
  std::string id;
  std::string description;
  std::optional<std::string> standard;  ///< its `default`
  std::vector<std::string> options;     ///< of a pickString; empty: anything
  bool password = false;
};

/// What variables stand for.
struct Values {
  std::function<std::optional<std::string>(const std::string&)> environment;
  std::vector<Input> inputs;
  std::map<std::string, std::string> given;  ///< by the id of an input
  std::string folder;                        ///< ${workspaceFolder}
};

/// Fills in the variables of a client's configuration and remembers what had no value.
class Variables {
 public:
  Variables(Dialect dialect, Values values);

  /// The text with every variable that has a value filled in. What was filled in is not looked at
  /// again.
  std::string operator()(std::string_view text);

  /// What had no value, in order, each once: "${input:token} (GitHub token)", and what to do.
  struct Missing {
    std::string variable;
    std::string remedy;
  };
  [[nodiscard]] const std::vector<Missing>& missing() const { return missing_; }
  /// Values that came from passwords and from variables with a telling name.
  [[nodiscard]] const std::vector<std::string>& secrets() const { return secrets_; }

 private:
  std::optional<std::string> value_of(const std::string& name);
  std::optional<std::string> environment(const std::string& name,
                                         const std::optional<std::string>& standard);
  std::optional<std::string> input(const std::string& id);
  std::optional<std::string> folder_word(const std::string& name) const;
  void miss(std::string variable, std::string remedy);

  Dialect dialect_;
  Values values_;
  std::vector<Missing> missing_;
  std::vector<std::string> secrets_;
};

}  // namespace weighbridge::plan::detail
