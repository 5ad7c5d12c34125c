#include "load/detail/quick_look.h"

#include "load/detail/byte_search.h"

namespace weighbridge::load::detail {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}
/// What an id of ours consists of. A server that answers with another kind of id is looked at by
/// protocol::judge.
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// What of the three members has been met.
struct Met {
  bool version = false;
  std::string_view id{};
};

struct Forward {
  std::string_view text;

  void skip_space() {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  }
  bool take(std::string_view word) {
    skip_space();
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
  }
  std::string_view take_digits() {
    skip_space();
    std::size_t length = 0;
    while (length < text.size() && is_digit(text[length])) ++length;
    const auto digits = text.substr(0, length);
    text.remove_prefix(length);
    return digits;
  }
};

struct Backward {
  std::string_view text;

  void skip_space() {
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  }
  bool take(std::string_view word) {
    skip_space();
    if (!text.ends_with(word)) return false;
    text.remove_suffix(word.size());
    return true;
  }
  std::string_view take_digits() {
    skip_space();
    std::size_t length = 0;
    while (length < text.size() && is_digit(text[text.size() - 1 - length])) ++length;
    const auto digits = text.substr(text.size() - length);
    text.remove_suffix(length);
    return digits;
  }
};

/// From the front up to the result's opening brace.
bool read_head(Forward head, Met& met) {
  if (!head.take("{")) return false;
  for (;;) {
    if (head.take("\"result\"")) return head.take(":") && head.take("{");
    if (!met.version && head.take("\"jsonrpc\"")) {
      if (!head.take(":") || !head.take("\"2.0\"")) return false;
      met.version = true;
    } else if (met.id.empty() && head.take("\"id\"")) {
      if (!head.take(":")) return false;
      met.id = head.take_digits();
      if (met.id.empty()) return false;
    } else {
      return false;
    }
    if (!head.take(",")) return false;
  }
}

/// From the back up to the result's closing brace.
bool read_tail(Backward tail, Met& met) {
  if (!tail.take("}")) return false;
  while (!tail.take("}")) {
    if (!met.version && tail.take("\"2.0\"")) {
      if (!tail.take(":") || !tail.take("\"jsonrpc\"")) return false;
      met.version = true;
    } else if (met.id.empty()) {
      met.id = tail.take_digits();
      if (met.id.empty() || !tail.take(":") || !tail.take("\"id\"")) return false;
    } else {
      return false;
    }
    if (!tail.take(",")) return false;
  }
  return true;
}

/// Every "error" or "isError" that stands there as a key: the one harmless kind is "isError":false.
/// Within a string the quote would have a backslash before it, and is not found.
bool speaks_of_error(std::string_view text) {
  constexpr std::string_view kEnd = "rror\"";
  constexpr std::string_view kHarmless = "\"isError\"";
  for (std::size_t at = find_word(text, kEnd); at != std::string_view::npos;
       at = find_word(text, kEnd, at + kEnd.size())) {
    const std::size_t end = at + kEnd.size();
    if (!text.substr(0, end).ends_with(kHarmless)) {
      // A longer word that only ends like it ("last_error") is no key of ours.
      if (text.substr(0, end).ends_with("\"error\"")) return true;
      continue;
    }
    Forward value{text.substr(end)};
    if (!value.take(":") || !value.take("false")) return true;
  }
  return false;
}

bool is_complete(std::string_view text) {
  constexpr std::string_view kKey = "\"resultType\"";
  for (std::size_t at = find_word(text, kKey); at != std::string_view::npos;
       at = find_word(text, kKey, at + kKey.size())) {
    Forward value{text.substr(at + kKey.size())};
    if (!value.take(":") || !value.take("\"complete\"")) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string_view> id_of_plain_answer(const Ends& ends, bool wants_complete) {
  Met met;
  if (!read_head({ends.head}, met) || !read_tail({ends.tail}, met)) return std::nullopt;
  if (!met.version || met.id.empty()) return std::nullopt;
  const bool one_text = ends.head.data() == ends.tail.data();
  if (speaks_of_error(ends.head) || (!one_text && speaks_of_error(ends.tail))) return std::nullopt;
  if (wants_complete && (!is_complete(ends.head) || (!one_text && !is_complete(ends.tail))))
    return std::nullopt;
  return met.id;
}

}  // namespace weighbridge::load::detail
