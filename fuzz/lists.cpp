// List pages, tools and introductions of any bytes; a page counts as another JSON library counts.

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "protocol/identity.h"
#include "protocol/json_text.h"
#include "protocol/list_page.h"
#include "protocol/request_meta.h"
#include "protocol/tool.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weighbridge::protocol;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)read_tool(text);
  (void)read_initialize_result(text);
  (void)read_discover_result(text);
  (void)supported_versions(text);
  (void)merge_meta(text, R"("a":1)");
  if (first_words(text, 50).size() > 50) std::abort();
  if (unquote(quote(text)) != text &&
      nlohmann::json::accept(quote(text)))  // not for bytes that are no UTF-8
    std::abort();
  const auto page = read_list_page("tools/list", text, true);
  if (!page) return 0;
  (void)choose_tool(page->items_json);
  const auto truth = nlohmann::json::parse(text, nullptr, false);
  if (truth.is_discarded()) return 0;
  if (truth["tools"].is_array() && truth["tools"].size() != page->items) std::abort();
  return 0;
}
