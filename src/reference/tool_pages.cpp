#include "reference/tool_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace weighbridge::reference {
namespace {

/// The cursor of a page: opaque to clients, told apart from other servers' by its beginning.
constexpr std::string_view kCursorPrefix = "tools-from-page-";

std::shared_ptr<const std::string> share(std::string tools) {
  return std::make_shared<const std::string>(std::move(tools));
}

}  // namespace

std::vector<ToolPage> make_tool_pages(Listing listing, std::size_t page_size) {
  std::vector<ToolPage> pages;
  const auto& ends = listing.tool_ends;
  if (page_size == 0 || page_size >= ends.size()) {
    pages.push_back(
        {.tools = share(std::move(listing.tools)), .count = ends.size(), .next_cursor = {}});
    return pages;
  }
  for (std::size_t first = 0; first < ends.size(); first += page_size) {
    const std::size_t last = std::min(first + page_size, ends.size());
    const std::size_t begin = first == 0 ? 0 : ends[first - 1] + 1;
    pages.push_back({.tools = share(listing.tools.substr(begin, ends[last - 1] - begin)),
                     .count = last - first,
                     .next_cursor = last == ends.size()
                                        ? std::string()
                                        : fmt::format("{}{}", kCursorPrefix, pages.size() + 1)});
  }
  return pages;
}

std::optional<std::size_t> read_page_cursor(std::string_view cursor, std::size_t pages) {
  if (!cursor.starts_with(kCursorPrefix)) return std::nullopt;
  cursor.remove_prefix(kCursorPrefix.size());
  std::size_t page = 0;
  const auto [end, error] = std::from_chars(cursor.data(), cursor.data() + cursor.size(), page);
  if (error != std::errc{} || end != cursor.data() + cursor.size() || page >= pages)
    return std::nullopt;
  return page;
}

}  // namespace weighbridge::reference
