#include "load/detail/request_body.h"

#include <fmt/format.h>

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
  fmt::format_to(std::back_inserter(out), R"({{"jsonrpc":"2.0","id":{})", call.id);
  rest_.append(out, call);
}

}  // namespace weighbridge::load::detail
