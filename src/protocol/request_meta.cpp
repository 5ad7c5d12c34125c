#include "protocol/request_meta.h"

#include <fmt/format.h>

#include "base/words.h"
#include "protocol/detail/members.h"
#include "protocol/json_text.h"

namespace weighbridge::protocol {
namespace {

std::string render_client(const ClientInfo& client) {
  return fmt::format(R"({{"name":{},"version":{}}})", quote(client.name), quote(client.version));
}

/// `object` with `members` put in front of its own.
std::string prepend(std::string_view object, std::string_view members) {
  const auto own = trim(trim(object).substr(1));  // without the opening brace
  return fmt::format("{{{}{}{}", members, own == "}" ? "" : ",", own);
}

}  // namespace

std::string render_meta_members(const Era& era, const ClientInfo& client,
                                const ClientCapabilities& capabilities) {
  return fmt::format(R"("io.modelcontextprotocol/protocolVersion":{},)"
                     R"("io.modelcontextprotocol/clientInfo":{},)"
                     R"("io.modelcontextprotocol/clientCapabilities":{})",
                     quote(era.name), render_client(client), render(capabilities));
}

Result<std::string> merge_meta(std::string_view params, std::string_view members) {
  WB_TRY(const auto own, detail::read_members(params));
  const auto meta = detail::find(own, "_meta");
  if (meta.empty()) return prepend(params, fmt::format(R"("_meta":{{{}}})", members));
  if (meta.front() != '{') return fail(ErrorCode::malformed, "_meta is not an object");
  const auto before = static_cast<std::size_t>(meta.data() - params.data());
  return fmt::format("{}{}{}", params.substr(0, before), prepend(meta, members),
                     params.substr(before + meta.size()));
}

std::string render_initialize_params(const Era& era, const ClientInfo& client,
                                     const ClientCapabilities& capabilities) {
  return fmt::format(R"({{"protocolVersion":{},"capabilities":{},"clientInfo":{}}})",
                     quote(era.name), render(capabilities), render_client(client));
}

}  // namespace weighbridge::protocol
