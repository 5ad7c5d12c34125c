#pragma once

#include <string_view>

namespace weighbridge::reference {

/// What the program says of itself.
std::string_view program_version();
std::string_view program_commit();  ///< empty outside a checkout
std::string_view program_build();   ///< CMake's build type

}  // namespace weighbridge::reference
