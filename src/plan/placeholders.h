#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace weighbridge::plan {

/// Values for `{port}`, `{profile_port}`, `{upstream}`, `{otlp}`, `{credential}`,
/// `{max_credentials}` and
/// `{plan_dir}`. A brace that does not open `{lower_case_word}` is literal, so JSON passes through.
using Placeholders = std::map<std::string, std::string>;

/// ErrorCode::plan when the text names a placeholder that has no value here, with those that have.
Result<std::string> fill(std::string_view text, const Placeholders& values);
Result<std::vector<std::string>> fill(const std::vector<std::string>& texts,
                                      const Placeholders& values);
/// The placeholder names used in a text, in order.
std::vector<std::string> placeholders_in(std::string_view text);

}  // namespace weighbridge::plan
