#pragma once

#include <string>
#include <string_view>

namespace weighbridge::protocol {

/// `text` as a JSON string literal, quotes included, at the end of `out`. quote() of json_text.h
/// makes a string of its own; a listing of megabytes is built from a hundred thousand of these.
void append_quoted(std::string& out, std::string_view text);
/// Without the quotes, for a literal made of several texts.
void append_escaped(std::string& out, std::string_view text);

}  // namespace weighbridge::protocol
