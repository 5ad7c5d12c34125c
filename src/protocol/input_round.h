#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "protocol/client_capabilities.h"

namespace weighbridge::protocol {

/// The `resultType` of a result, without quotes: "complete" where it is absent (2026-07-28, basic).
/// Of a long result only the ends are read.
std::string result_type(std::string_view result);

/// What an "input_required" result asks for, for people: `elicitation/create for "confirm"`;
/// "another round" when it only hands out a requestState.
std::string input_wanted(std::string_view result);

/// The params with which a request is made again after an "input_required" result (2026-07-28,
/// multi round trip, SEP-2322): `params` with the answers and the requestState byte for byte as it
/// came; without one where none came. nullopt when `result` asks for nothing (it is complete).
/// ErrorCode::target when it asks for what the client has not declared, or is of an unknown type.
Result<std::optional<std::string>> next_round(std::string_view params, std::string_view result,
                                              const ClientCapabilities& capabilities);

}  // namespace weighbridge::protocol
