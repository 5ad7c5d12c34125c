#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "protocol/client_capabilities.h"
#include "protocol/era.h"

namespace weighbridge::protocol {

/// Who we say we are.
struct ClientInfo {
  std::string name;
  std::string version;
};

/// The `_meta` members every request of a stateless era carries (2026-07-28, basic, SEP-2575), as
/// JSON members without braces.
std::string render_meta_members(const Era& era, const ClientInfo& client,
                                const ClientCapabilities& capabilities = {});

/// `params` (a JSON object) with `members` inside its `_meta`, beside what is there already.
/// ErrorCode::malformed when `params` is no object.
Result<std::string> merge_meta(std::string_view params, std::string_view members);

/// The params of initialize.
std::string render_initialize_params(const Era& era, const ClientInfo& client,
                                     const ClientCapabilities& capabilities = {});

}  // namespace weighbridge::protocol
