#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/listing.h"

namespace weighbridge::reference {

/// One page of tools/list.
struct ToolPage {
  std::shared_ptr<const std::string> tools;  ///< joined by commas
  std::size_t count = 0;                     ///< of tools
  std::string next_cursor;                   ///< empty on the last page
};

/// `page_size` tools a page; 0: all on one.
std::vector<ToolPage> make_tool_pages(Listing listing, std::size_t page_size);
/// The page that a cursor of ours stands for; nullopt for any other text.
std::optional<std::size_t> read_page_cursor(std::string_view cursor, std::size_t pages);

}  // namespace weighbridge::reference
