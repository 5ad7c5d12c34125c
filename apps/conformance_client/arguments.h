#pragma once

#include <string>

#include "client/session.h"

namespace weighbridge::conformance {

/// Arguments that a tool's inputSchema accepts, as far as its required properties' types tell; a
/// JSON object.
std::string arguments_for(const std::string& item);

}  // namespace weighbridge::conformance
