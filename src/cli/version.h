#pragma once

#include <string>

#include "record/record.h"

namespace weighbridge::cli {

/// This program: what a record says about the build that made it.
record::Build this_build();

/// "weighbridge 0.1.0 (a8963e7, g++ 12.2.0, RelWithDebInfo)"
std::string version_line();

}  // namespace weighbridge::cli
