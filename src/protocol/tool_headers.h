#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "protocol/headers.h"

namespace weighbridge::protocol {

/// One argument that also travels as a header (`x-mcp-header` in a tool's inputSchema; 2026-07-28,
/// SEP-2243).
struct ToolHeader {
  std::string name;               ///< Mcp-Param-Region
  std::vector<std::string> path;  ///< of property names, from the arguments inward
};

/// The annotations of a tool, `input_schema` being its inputSchema. ErrorCode::malformed when one
/// of them is invalid, and then the tool must not be used over HTTP: empty, no token of HTTP, given
/// twice (letter case does not tell them apart), on anything but a string, integer or boolean, or
/// where `properties` alone do not lead.
Result<std::vector<ToolHeader>> read_tool_headers(std::string_view input_schema);

/// The headers of a call with these arguments (a JSON object). What is null or absent is left out.
std::vector<HeaderField> headers_of_call(std::span<const ToolHeader> headers,
                                         std::string_view arguments);

}  // namespace weighbridge::protocol
