#include "transport/detail/render.h"

#include <algorithm>
#include <array>
#include <utility>

namespace weighbridge::transport::detail {
namespace {

void append_clean(std::string& bytes, std::string_view text) {
  const std::size_t begin = bytes.size();
  bytes.append(text);
  const auto forbidden = [](char c) { return c == '\r' || c == '\n' || c == '\0'; };
  std::replace_if(bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.end(), forbidden, ' ');
}

// Our own table: llhttp's names are identifiers (NOT_FOUND) and it aborts on a status it does not
// know, which a scripted upstream may well be asked for.
constexpr std::array<std::pair<int, std::string_view>, 25> kReasons{{
    {100, "Continue"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
}};

}  // namespace

std::string_view reason_phrase(int status) {
  const auto* const found =
      std::ranges::find(kReasons, status, [](const auto& r) { return r.first; });
  return found == kReasons.end() ? std::string_view() : found->second;
}

void append_header(std::string& bytes, std::string_view name, std::string_view value) {
  append_clean(bytes, name);
  bytes.append(": ");
  append_clean(bytes, value);
  bytes.append("\r\n");
}

void append_status_line(std::string& bytes, int status) {
  bytes.append("HTTP/1.1 ").append(std::to_string(status)).append(" ");
  bytes.append(reason_phrase(status)).append("\r\n");
}

}  // namespace weighbridge::transport::detail
