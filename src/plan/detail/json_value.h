#pragma once

#include <toml++/toml.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "plan/detail/fields.h"

namespace weighbridge::plan::detail {

/// A TOML value as compact JSON text, members in the order of the file. Dates, times, infinities
/// and NaN have no JSON form and become Problems; then the text is to be thrown away.
std::string json_text(const toml::node& value, Problems& problems);

/// What a string inside the value is printed as, given the name of the member it stands in.
using Shown = std::function<std::string(std::string_view name, std::string_view text)>;

/// JSON text as an inline TOML value that json_text turns back into the very same text; absent when
/// there is none: null, numbers beyond 64 bits, other spacing than ours, text that is no JSON.
std::optional<std::string> toml_value(std::string_view json, const Shown& shown);

/// Whether a text is one JSON object.
bool is_json_object(std::string_view text);

/// `"text"` and `key` as TOML writes them.
std::string toml_quoted(std::string_view text);
std::string toml_key(std::string_view key);

}  // namespace weighbridge::plan::detail
