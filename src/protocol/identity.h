#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace weighbridge::protocol {

/// What a server says of itself, in either kind of era.
struct Introduction {
  std::string name;
  std::string title;
  std::string version;
  std::vector<std::string> capabilities;  ///< names of the top-level members
  std::uint64_t instructions_bytes = 0;   ///< of the text, escapes resolved
  /// initialize: the one version it answered with. server/discover: all that it supports.
  std::vector<std::string> versions;
};

/// Result of `initialize`. ErrorCode::malformed without a protocolVersion.
Result<Introduction> read_initialize_result(std::string_view result);

/// Result of `server/discover` (2026-07-28); serverInfo stands in `_meta`. ErrorCode::malformed
/// without supportedVersions.
Result<Introduction> read_discover_result(std::string_view result);

/// The versions that a version error names in its data: `supported` of -32022 and of the -32602
/// that answers initialize. Empty when there are none.
std::vector<std::string> supported_versions(std::string_view error_data);

}  // namespace weighbridge::protocol
