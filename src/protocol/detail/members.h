#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace weighbridge::protocol::detail {

/// Up to this size a text is walked whole (method.md, "Checking a reply").
constexpr std::size_t kWholeWalkLimit = std::size_t{64} * 1024;
/// Above it, this much is read at either end.
constexpr std::size_t kEdgeBytes = std::size_t{4} * 1024;

/// One member of an object. The key is compared as written: a server that escapes letters of its
/// keys is not understood.
struct Member {
  std::string_view key;    ///< between its quotes
  std::string_view value;  ///< raw JSON, without white space around it
};
using Members = std::vector<Member>;

/// The value of the last member of that key; empty when there is none.
std::string_view find(const Members& members, std::string_view key);

/// All members of the object that `text` is. ErrorCode::malformed when it is none.
Result<Members> read_members(std::string_view text);

/// All elements of the array that `text` is. ErrorCode::malformed when it is none.
Result<std::vector<std::string_view>> read_elements(std::string_view text);

/// The members that begin in the first or end in the last kEdgeBytes, and the one long value
/// between them, unread. nullopt when the two ends do not meet at one value (several long members,
/// or no JSON object).
std::optional<Members> read_edge_members(std::string_view text);

}  // namespace weighbridge::protocol::detail
