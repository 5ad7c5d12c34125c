#pragma once

#include <concepts>
#include <type_traits>

namespace weighbridge::record::detail {

/// T, const or not: lets one list of members serve the writer, which only looks, and the reader.
template <typename T, typename Struct>
concept Like = std::same_as<std::remove_const_t<T>, Struct>;

}  // namespace weighbridge::record::detail
