#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace weighbridge::os {

/// The bytes of a file, at most `limit`; nullopt when it cannot be opened or read. For the small
/// files of /proc and /sys, whose absence is an answer and not an error.
std::optional<std::string> read_file(const std::string& path, std::size_t limit = 1 << 20);

/// As read_file, without white space at either end.
std::optional<std::string> read_trimmed(const std::string& path);

}  // namespace weighbridge::os
