#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"

namespace weighbridge::plan {

/// Takes secrets out of any text on its way to a record, a report or a screen: the literal values
/// the plan carries (credential values for every caller number, header values, env values whose
/// name tells of a secret: *TOKEN*, *KEY*, *SECRET*, *PASSWORD*, *AUTH*, *CREDENTIAL*), and what
/// follows a telling flag or header name in free text (`--token=…`, `--api-key …`, `Authorization:
/// …`, `PRIVATE-TOKEN: …`, user:password@ in URLs).
class Redactor {
 public:
  Redactor() = default;
  explicit Redactor(const Plan& plan);
  void add_secret(std::string value);
  [[nodiscard]] std::string operator()(std::string_view text) const;

  static bool tells_of_secret(std::string_view name);

 private:
  std::vector<std::string> secrets_;  // longest first
};

}  // namespace weighbridge::plan
