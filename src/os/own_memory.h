#pragma once

#include <cstdint>
#include <optional>

namespace weighbridge::os {

/// Largest resident set of this process since it began, or since reset_own_peak() where the kernel
/// lets a process reset its own mark (VmHWM of /proc/self/status). nullopt: no /proc.
std::optional<std::uint64_t> own_peak_bytes();

/// Sets the mark back to what is resident now. False where the kernel refuses.
bool reset_own_peak();

}  // namespace weighbridge::os
