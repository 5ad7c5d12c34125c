#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace weighbridge::os {

/// Replaces the file at `path` so that, whatever happens in between (a full disk, SIGKILL, a power
/// cut), it holds either all of the old bytes or all of the new ones. A link is followed, an old
/// file's mode is kept. Nothing is left beside it: on failure the old file is as it was.
///
/// ErrorCode::system with `system_errno` for what the system refuses, ErrorCode::usage for a `path`
/// that is a directory or a device.
Result<void> save_atomically(const std::string& path, std::string_view text);

}  // namespace weighbridge::os
