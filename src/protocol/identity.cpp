#include "protocol/identity.h"

#include "protocol/detail/members.h"
#include "protocol/json_text.h"

namespace weighbridge::protocol {
namespace {

using detail::find;
using detail::Members;

std::string text_of(const Members& members, std::string_view key) {
  return unquote(find(members, key)).value_or("");
}

std::vector<std::string> texts_of(std::string_view array) {
  std::vector<std::string> texts;
  const auto elements = detail::read_elements(array);
  if (!elements) return texts;
  for (const auto element : *elements)
    if (auto text = unquote(element)) texts.push_back(std::move(*text));
  return texts;
}

/// Everything but the versions, whose place differs. `server_info` is raw JSON, possibly empty.
Introduction introduce(const Members& result, std::string_view server_info) {
  Introduction introduction;
  if (const auto server = detail::read_members(server_info)) {
    introduction.name = text_of(*server, "name");
    introduction.title = text_of(*server, "title");
    introduction.version = text_of(*server, "version");
  }
  if (const auto capabilities = detail::read_members(find(result, "capabilities")))
    for (const auto& capability : *capabilities)
      introduction.capabilities.emplace_back(capability.key);
  introduction.instructions_bytes = text_of(result, "instructions").size();
  return introduction;
}

}  // namespace

Result<Introduction> read_initialize_result(std::string_view result) {
  WB_TRY(const auto members, detail::read_members(result));
  auto version = unquote(find(members, "protocolVersion"));
  if (!version)
    return fail(ErrorCode::malformed, "the answer to initialize has no protocolVersion");
  Introduction introduction = introduce(members, find(members, "serverInfo"));
  introduction.versions.push_back(std::move(*version));
  return introduction;
}

Result<Introduction> read_discover_result(std::string_view result) {
  WB_TRY(const auto members, detail::read_members(result));
  auto versions = texts_of(find(members, "supportedVersions"));
  if (versions.empty())
    return fail(ErrorCode::malformed, "the answer to server/discover has no supportedVersions");
  std::string_view server_info;
  if (const auto meta = detail::read_members(find(members, "_meta")))
    server_info = find(*meta, "io.modelcontextprotocol/serverInfo");
  Introduction introduction = introduce(members, server_info);
  introduction.versions = std::move(versions);
  return introduction;
}

std::vector<std::string> supported_versions(std::string_view error_data) {
  const auto members = detail::read_members(error_data);
  return members ? texts_of(find(*members, "supported")) : std::vector<std::string>{};
}

}  // namespace weighbridge::protocol
