#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace weighbridge::protocol {

/// What of a tool's description decides whether it may be called without asking anybody.
struct Tool {
  std::string name;
  bool read_only = false;        ///< annotations.readOnlyHint; absent means false
  bool needs_arguments = false;  ///< its inputSchema refuses {}, or may refuse it
  std::string input_schema{};    ///< raw JSON; empty when it has none
};

/// `json` is one item of tools/list. ErrorCode::malformed when it has no name.
Result<Tool> read_tool(std::string_view json);

/// The first tool in listing order that is annotated read-only and needs no arguments. Items that
/// cannot be read are passed over.
std::optional<std::string> choose_tool(std::span<const std::string> items);

}  // namespace weighbridge::protocol
