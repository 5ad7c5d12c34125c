#include "protocol/detail/members.h"

#include <simdjson.h>

#include <cstring>
#include <ranges>

#include "base/words.h"

namespace weighbridge::protocol::detail {
namespace {

namespace ondemand = simdjson::ondemand;

std::unexpected<Error> malformed(std::string what) {
  return fail(ErrorCode::malformed, std::move(what));
}

/// simdjson reads up to SIMDJSON_PADDING bytes beyond the end, so foreign text is copied first. The
/// copy and the parser of ordinary texts are kept per thread; a long one's are given back, or one
/// listing of 3 MB would cost the driver 16 MB for the rest of its life.
struct Scratch {
  std::string bytes;
  ondemand::parser parser;

  Result<ondemand::document> open(std::string_view text) {
    bytes.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    bytes.assign(text);
    ondemand::document document;
    const auto error =
        parser.iterate(simdjson::padded_string_view(bytes.data(), bytes.size(), bytes.capacity()))
            .get(document);
    if (error != simdjson::SUCCESS) return malformed(simdjson::error_message(error));
    return document;
  }

  /// The same stretch of the caller's text, without white space around it.
  [[nodiscard]] std::string_view original(std::string_view text, std::string_view piece) const {
    const auto offset = static_cast<std::size_t>(piece.data() - bytes.data());
    return trim(text.substr(offset, piece.size()));
  }
};

template <typename Work>
auto with_scratch(std::string_view text, Work work) {
  if (text.size() > kWholeWalkLimit) {
    Scratch scratch;
    return work(scratch);
  }
  thread_local Scratch scratch;
  return work(scratch);
}

Result<std::string_view> raw(ondemand::value value) {
  ondemand::json_type type{};
  std::string_view piece;
  simdjson::error_code error = value.type().get(type);
  if (error == simdjson::SUCCESS && type == ondemand::json_type::object) {
    ondemand::object object;
    error = value.get_object().get(object);
    if (error == simdjson::SUCCESS) error = object.raw_json().get(piece);
  } else if (error == simdjson::SUCCESS && type == ondemand::json_type::array) {
    ondemand::array array;
    error = value.get_array().get(array);
    if (error == simdjson::SUCCESS) error = array.raw_json().get(piece);
  } else if (error == simdjson::SUCCESS) {
    piece = value.raw_json_token();
  }
  if (error != simdjson::SUCCESS) return malformed(simdjson::error_message(error));
  return piece;
}

/// On-demand parsing stops caring at the closing bracket, so what follows is checked here.
bool closes(std::string_view text, const char* end_of_last, std::string_view bracket) {
  return trim(text.substr(static_cast<std::size_t>(end_of_last - text.data()))) == bracket;
}

Result<Members> walk_object(Scratch& scratch, std::string_view text) {
  WB_TRY(auto document, scratch.open(text));
  ondemand::object object;
  if (document.get_object().get(object) != simdjson::SUCCESS) return malformed("not a JSON object");
  Members members;
  const char* end = text.data() + text.find('{') + 1;
  for (auto item : object) {
    ondemand::field field;
    if (const auto error = std::move(item).get(field); error != simdjson::SUCCESS)
      return malformed(simdjson::error_message(error));
    const char* key = field.key().raw();
    WB_TRY(const auto piece, raw(field.value()));
    const auto offset = static_cast<std::size_t>(key - scratch.bytes.data());
    const auto colon = static_cast<std::size_t>(piece.data() - scratch.bytes.data());
    const auto before_value = text.substr(offset, colon - offset);
    const auto closing_quote = before_value.rfind('"');
    if (closing_quote == std::string_view::npos) return malformed("a key without its quote");
    members.push_back({before_value.substr(0, closing_quote), scratch.original(text, piece)});
    end = members.back().value.data() + members.back().value.size();
  }
  if (!closes(text, end, "}")) return malformed("the JSON object does not end where the text does");
  return members;
}

Result<std::vector<std::string_view>> walk_array(Scratch& scratch, std::string_view text) {
  WB_TRY(auto document, scratch.open(text));
  ondemand::array array;
  if (document.get_array().get(array) != simdjson::SUCCESS) return malformed("not a JSON array");
  std::vector<std::string_view> elements;
  const char* end = text.data() + text.find('[') + 1;
  for (auto item : array) {
    ondemand::value value;
    if (const auto error = std::move(item).get(value); error != simdjson::SUCCESS)
      return malformed(simdjson::error_message(error));
    WB_TRY(const auto piece, raw(value));
    elements.push_back(scratch.original(text, piece));
    end = elements.back().data() + elements.back().size();
  }
  if (!closes(text, end, "]")) return malformed("the JSON array does not end where the text does");
  return elements;
}

}  // namespace

std::string_view find(const Members& members, std::string_view key) {
  for (const Member& member : members | std::views::reverse)
    if (member.key == key) return member.value;
  return {};
}

Result<Members> read_members(std::string_view text) {
  return with_scratch(text, [text](Scratch& scratch) { return walk_object(scratch, text); });
}

Result<std::vector<std::string_view>> read_elements(std::string_view text) {
  return with_scratch(text, [text](Scratch& scratch) { return walk_array(scratch, text); });
}

}  // namespace weighbridge::protocol::detail
