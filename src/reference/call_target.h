#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "reference/catalogue.h"
#include "reference/listing.h"

namespace weighbridge::reference {

/// What a tools/call is aimed at.
struct CallTarget {
  enum class Kind : std::uint8_t { unknown_tool, null, status, find, operation };
  Kind kind = Kind::unknown_tool;
  const Operation* operation = nullptr;
  simdjson::dom::object arguments;  ///< of the operation, or of the tool itself
  bool has_arguments = false;
};

/// Which tool of the surface `name` is and, for tools that stand for several operations, which one
/// the arguments choose. ErrorCode::usage with one clear sentence when they choose none.
Result<CallTarget> resolve_call(Surface surface, const Catalogue& catalogue, std::string_view name,
                                const simdjson::dom::object* arguments);

}  // namespace weighbridge::reference
