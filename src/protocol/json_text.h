#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace weighbridge::protocol {

/// `text` as a JSON string literal, quotes included. Bytes above 0x7f pass unchanged, so UTF-8 in
/// gives valid JSON out.
std::string quote(std::string_view text);

/// The text that a JSON string literal (quotes included) stands for; nullopt when it is none.
std::optional<std::string> unquote(std::string_view literal);

/// The whole text is one JSON value in valid UTF-8. ErrorCode::malformed with what is wrong.
Result<void> check_json(std::string_view text);

/// The first `limit` bytes of foreign text on one line, for error messages: control characters and
/// runs of white space become one space, what is no UTF-8 becomes U+FFFD, a cut is marked, never
/// inside a UTF-8 sequence.
std::string first_words(std::string_view text, std::size_t limit = 300);

}  // namespace weighbridge::protocol
