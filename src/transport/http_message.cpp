#include "transport/http_message.h"

#include "base/words.h"
#include "transport/detail/render.h"

namespace weighbridge::transport {

std::optional<std::string_view> find_header(const Headers& headers, std::string_view name) {
  for (const Header& header : headers) {
    if (equals_ignoring_case(header.name, name)) return header.value;
  }
  return std::nullopt;
}

std::string render_request(std::string_view method, std::string_view target, std::string_view host,
                           const Headers& headers, std::string_view body) {
  std::string bytes;
  bytes.reserve(256 + body.size());
  bytes.append(method).append(" ").append(target).append(" HTTP/1.1\r\n");
  if (!find_header(headers, "Host")) detail::append_header(bytes, "Host", host);
  for (const Header& header : headers) detail::append_header(bytes, header.name, header.value);
  if (!body.empty()) detail::append_header(bytes, "Content-Length", std::to_string(body.size()));
  bytes.append("\r\n").append(body);
  return bytes;
}

}  // namespace weighbridge::transport
