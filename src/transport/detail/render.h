#pragma once

#include <string>
#include <string_view>

namespace weighbridge::transport::detail {

/// "name: value\r\n". A CR, LF or NUL becomes a space, as RFC 9110 (5.5) asks of whoever meets
/// one: a value from a plan must not be able to begin a header or a message of its own.
void append_header(std::string& bytes, std::string_view name, std::string_view value);

/// "HTTP/1.1 404 Not Found\r\n".
void append_status_line(std::string& bytes, int status);

/// The words of RFC 9110 for a status; empty (as HTTP allows) for one that is rare here.
std::string_view reason_phrase(int status);

}  // namespace weighbridge::transport::detail
