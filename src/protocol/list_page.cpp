#include "protocol/list_page.h"

#include "protocol/detail/members.h"
#include "protocol/json_text.h"

namespace weighbridge::protocol {

std::string_view list_member(std::string_view method) {
  if (method == "tools/list") return "tools";
  if (method == "resources/list") return "resources";
  if (method == "resources/templates/list") return "resourceTemplates";
  if (method == "prompts/list") return "prompts";
  return {};
}

Result<ListPage> read_list_page(std::string_view method, std::string_view result, bool keep_items) {
  WB_TRY(const auto members, detail::read_members(result));
  const std::string member(list_member(method));
  const auto list = detail::find(members, member);
  if (member.empty() || list.empty())
    return fail(ErrorCode::malformed,
                "the result of " + std::string(method) + " has no \"" + member + "\"");
  auto elements = detail::read_elements(list);
  if (!elements) return std::unexpected(std::move(elements).error().within("\"" + member + "\""));

  ListPage page;
  page.items = elements->size();
  if (keep_items) page.items_json.assign(elements->begin(), elements->end());
  // null: how servers that do not leave absent members out write "no more".
  const auto cursor = detail::find(members, "nextCursor");
  if (cursor.empty() || cursor == "null") return page;
  page.next_cursor = unquote(cursor);
  if (!page.next_cursor)
    return fail(ErrorCode::malformed, "nextCursor is not a string: " + first_words(cursor, 80));
  return page;
}

}  // namespace weighbridge::protocol
