#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace weighbridge::os {

/// Logical CPUs this process may run on, ascending.
std::vector<int> allowed_cpus();

/// Confines the calling thread. ErrorCode::usage when none of them can be used.
Result<void> pin_this_thread(const std::vector<int>& cpus);

/// "0-2,5" as 0 1 2 5, ascending and once each. ErrorCode::usage for anything else.
Result<std::vector<int>> parse_cpus(std::string_view text);
/// The shortest text that parse_cpus reads back.
std::string format_cpus(const std::vector<int>& cpus);

/// How long the calling thread has been ready to run while something else had its core: the
/// kernel's own count. Zero where the kernel keeps none.
Duration thread_wait_for_core();

}  // namespace weighbridge::os
