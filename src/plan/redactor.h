#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace weighbridge::plan {

/// Takes secrets out of any text on its way to a record, a report or a screen: the literal values
/// the plan carries (credential values for every caller number, header values, env values whose
/// name tells of a secret), and what follows a telling flag, header, variable or JSON member in
/// free text (`--token=…`, `--api-key …`, `Authorization: …`, `PRIVATE-TOKEN: …`, `"apiKey": "…"`,
/// user:password@ in URLs). When in doubt it takes out: a reader can do without a word, a
/// credential cannot be called back.
class Redactor {
 public:
  Redactor() = default;
  explicit Redactor(const Plan& plan);
  /// `{credential}` in it stands for any number. Empty values and plain switches ("true", "off")
  /// are no secrets. Under six bytes it is taken out only where it stands as a word.
  void add_secret(const std::string& value);

  [[nodiscard]] std::string operator()(std::string_view text) const;
  /// A command line: also takes out the argument behind a telling flag.
  [[nodiscard]] std::vector<std::string> operator()(const std::vector<std::string>& command) const;

  /// Of a variable or header: *TOKEN*, *KEY*, *SECRET*, *PASSWORD*, *PASSWD*, *AUTH*, *CREDENTIAL*,
  /// *COOKIE*, in any case.
  static bool tells_of_secret(std::string_view name);

 private:
  /// What stands before, between and after the caller numbers of one secret.
  using Pieces = std::vector<std::string>;

  void add_pieces(Pieces pieces);
  [[nodiscard]] std::string without_literals(std::string_view text) const;

  std::vector<Pieces> secrets_;  // longest first
};

}  // namespace weighbridge::plan
