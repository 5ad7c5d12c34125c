#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace weighbridge::protocol {

/// One page of tools/list, resources/list, resources/templates/list or prompts/list.
struct ListPage {
  std::uint64_t items = 0;
  /// Absent ends the list; an empty string is a cursor like any other.
  std::optional<std::string> next_cursor;
  std::vector<std::string> items_json;  ///< each item's own text; only when asked for
};

/// The member of the result that holds the items ("tools" of tools/list); empty when the method is
/// no list.
std::string_view list_member(std::string_view method);

/// `result` is the raw result of a list method. ErrorCode::malformed when it has no such list.
Result<ListPage> read_list_page(std::string_view method, std::string_view result, bool keep_items);

}  // namespace weighbridge::protocol
