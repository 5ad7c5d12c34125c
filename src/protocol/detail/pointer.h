#pragma once

#include <string>
#include <string_view>

#include "protocol/outcome.h"

namespace weighbridge::protocol::detail {

/// What keeps `result` from holding what the expectation's pointer, value and count ask for; empty
/// when nothing does. Parses the whole result.
std::string flaw_at_pointer(std::string_view result, const Expectation& expectation);

}  // namespace weighbridge::protocol::detail
