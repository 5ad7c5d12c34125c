#pragma once

#include <simdjson.h>

#include <optional>
#include <span>
#include <string_view>

#include "protocol/server_route.h"

namespace weighbridge::protocol {

/// A parameter of a tool that the client repeats in a header: `x-mcp-header` of its schema.
struct ParamHeader {
  std::string_view param;
  std::string_view header;  ///< all of its name: "Mcp-Param-Region"
};

/// Why the arguments of a tools/call do not agree with their headers, if so (SEP-2243): a header
/// that is missing, malformed or different, or one whose parameter is absent or null. Integers are
/// compared as numbers. `arguments`: nullptr when there are none.
std::optional<Refusal> check_param_headers(std::span<const ParamHeader> annotated,
                                           const simdjson::dom::object* arguments,
                                           const RequestHeaders& headers);

}  // namespace weighbridge::protocol
