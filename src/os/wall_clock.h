#pragma once

#include <string>

namespace weighbridge::os {

/// The date and time now, RFC 3339 in UTC with whole seconds: "2026-11-30T17:00:00Z". For labels
/// only; nothing is measured with it.
std::string utc_now();

}  // namespace weighbridge::os
