#include "load/detail/request_body.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "protocol/json_text.h"

namespace weighbridge::load::detail {

Result<RequestBody> RequestBody::make(std::string_view method, std::string_view params,
                                      const protocol::Era& era,
                                      const protocol::ClientInfo& client) {
  const std::string members =
      era.handshake ? std::string() : protocol::render_meta_members(era, client);
  std::string text(params);
  if (!members.empty()) {
    WB_TRY(text, protocol::merge_meta(params, members));
  }
  return RequestBody(
      TextTemplate(fmt::format(R"(,"method":{},"params":{}}})", protocol::quote(method), text)));
}

void RequestBody::append(std::string& out, const CallNumber& call) const {
  std::array<char, 10> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), call.id).ptr;
  out += R"({"jsonrpc":"2.0","id":)";
  out.append(digits.data(), end);
  rest_.append(out, call);
}

}  // namespace weighbridge::load::detail
