#include "protocol/detail/pointer.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "protocol/json_text.h"

namespace weighbridge::protocol::detail {
namespace {

namespace dom = simdjson::dom;

std::uint64_t size_of(const dom::element& element) {
  if (element.is_array()) return element.get_array().value_unsafe().size();
  if (element.is_object()) return element.get_object().value_unsafe().size();
  return 0;
}

}  // namespace

std::string flaw_at_pointer(std::string_view result, const Expectation& expectation) {
  const std::string place = quote(expectation.pointer);
  dom::parser parser;
  dom::element root;
  if (const auto error = parser.parse(result.data(), result.size()).get(root))
    return fmt::format("its result cannot be read: {}", simdjson::error_message(error));
  dom::element found;
  if (root.at_pointer(expectation.pointer).get(found) != simdjson::SUCCESS)
    return fmt::format("nothing stands at {} of its result", place);
  if (expectation.count && !found.is_array() && !found.is_object())
    return fmt::format("what stands at {} has no elements to count", place);
  if (expectation.count && size_of(found) != *expectation.count)
    return fmt::format("{} elements at {}, expected {}", size_of(found), place, *expectation.count);
  if (expectation.value.empty()) return {};
  dom::parser other;
  dom::element wanted;
  if (other.parse(expectation.value.data(), expectation.value.size()).get(wanted) !=
      simdjson::SUCCESS)
    return fmt::format("the value expected at {} is no JSON", place);
  const std::string seen = simdjson::minify(found);
  if (seen == simdjson::minify(wanted)) return {};
  return fmt::format("{} at {}, expected {}", first_words(seen, 80), place,
                     first_words(expectation.value, 80));
}

}  // namespace weighbridge::protocol::detail
