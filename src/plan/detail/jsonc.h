#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/error.h"

namespace weighbridge::plan::detail {

/// JSON as editors let people write it: with // and /* */ comments, commas before a closing bracket
/// and a byte order mark. ErrorCode::plan with `path`, line and column for what is neither; the
/// text itself is not quoted, as it may hold a secret.
Result<nlohmann::ordered_json> parse_jsonc(std::string_view text, const std::string& path);

}  // namespace weighbridge::plan::detail
