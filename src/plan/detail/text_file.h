#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace weighbridge::plan::detail {

/// The whole of a small file. ErrorCode::plan when it cannot be read or is larger than any such
/// file; `what` names it ("the plan"), `remedy` says what to do instead.
Result<std::string> read_text(const std::string& path, std::string_view what,
                              const std::string& remedy);

}  // namespace weighbridge::plan::detail
