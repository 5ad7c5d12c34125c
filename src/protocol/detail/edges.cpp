// The members at both ends of a long text. Forwards as any parser would; backwards by a property of
// JSON: going left from a closing quote, the first quote without an odd number of backslashes
// before it is the opening one, and outside strings there are no quotes. So valid JSON reads
// without ambiguity in either direction, and the megabytes between stay untouched.

#include <algorithm>

#include "protocol/detail/members.h"

namespace weighbridge::protocol::detail {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_scalar(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' ||
         c == 'E';
}

/// Reads to the right within `text`, which is the first part of a longer one.
struct Forward {
  std::string_view text;
  std::size_t at = 0;

  void skip_space() {
    while (at < text.size() && is_space(text[at])) ++at;
  }
  bool take(char wanted) {
    skip_space();
    if (at >= text.size() || text[at] != wanted) return false;
    ++at;
    return true;
  }
  /// Just behind the string that begins at `from`; kNone when it goes on beyond `text`.
  [[nodiscard]] std::size_t string_end(std::size_t from) const {
    for (std::size_t i = from + 1; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
      } else if (text[i] == '"') {
        return i + 1;
      }
    }
    return kNone;
  }
  /// Just behind the value that begins at `from`; kNone when it goes on beyond `text`.
  [[nodiscard]] std::size_t value_end(std::size_t from) const {
    std::size_t depth = 0;
    for (std::size_t i = from; i < text.size();) {
      const char c = text[i];
      if (c == '"') {
        i = string_end(i);
        if (i == kNone) return kNone;
      } else if (c == '{' || c == '[') {
        ++depth;
        ++i;
        continue;
      } else if (c == '}' || c == ']') {
        if (depth == 0) return kNone;
        --depth;
        ++i;
      } else if (depth == 0) {
        while (i < text.size() && is_scalar(text[i])) ++i;
        return i == from || i == text.size() ? kNone : i;
      } else {
        ++i;
        continue;
      }
      if (depth == 0) return i;
    }
    return kNone;
  }
};

/// Reads to the left. `floor`: nothing before it is looked at. `at` is just behind the next byte.
struct Backward {
  std::string_view text;
  std::size_t floor;
  std::size_t at;

  void skip_space() {
    while (at > floor && is_space(text[at - 1])) --at;
  }
  bool take(char wanted) {
    skip_space();
    if (at <= floor || text[at - 1] != wanted) return false;
    --at;
    return true;
  }
  /// Where the string begins whose closing quote stands before `end`; kNone beyond the floor.
  [[nodiscard]] std::size_t string_begin(std::size_t end) const {
    for (std::size_t i = end - 1; i > floor;) {
      --i;
      if (text[i] != '"') continue;
      std::size_t slashes = 0;
      while (i > floor + slashes && text[i - 1 - slashes] == '\\') ++slashes;
      if (i == floor + slashes) return kNone;  // the run may begin or go on beyond the floor
      if (slashes % 2 == 0) return i;
    }
    return kNone;
  }
  /// Where the value begins that ends before `end`; kNone beyond the floor.
  [[nodiscard]] std::size_t value_begin(std::size_t end) const {
    std::size_t depth = 0;
    for (std::size_t i = end; i > floor;) {
      const char c = text[i - 1];
      if (c == '"') {
        i = string_begin(i);
        if (i == kNone) return kNone;
      } else if (c == '}' || c == ']') {
        ++depth;
        --i;
        continue;
      } else if (c == '{' || c == '[') {
        if (depth == 0) return kNone;
        --depth;
        --i;
      } else if (depth == 0) {
        while (i > floor && is_scalar(text[i - 1])) --i;
        return i == end || i == floor ? kNone : i;
      } else {
        --i;
        continue;
      }
      if (depth == 0) return i;
    }
    return kNone;
  }
};

bool brackets_match(std::string_view value) {
  if (value.size() < 2) return false;
  const char first = value.front();
  const char last = value.back();
  return (first == '{' && last == '}') || (first == '[' && last == ']') ||
         (first == '"' && last == '"');
}

/// The key that begins at the reader's place and the colon behind it.
std::optional<std::string_view> take_key(Forward& head) {
  head.skip_space();
  if (head.at >= head.text.size() || head.text[head.at] != '"') return std::nullopt;
  const std::size_t end = head.string_end(head.at);
  if (end == kNone) return std::nullopt;
  const auto key = head.text.substr(head.at + 1, end - head.at - 2);
  head.at = end;
  if (!head.take(':')) return std::nullopt;
  head.skip_space();
  return key;
}

/// The members behind the long value, last first; afterwards `tail.at` is just behind that value.
/// False when what is there is not the end of an object.
bool take_tail(Backward& tail, Members& members) {
  for (;;) {
    tail.skip_space();
    const std::size_t end = tail.at;
    const std::size_t begin = tail.value_begin(end);
    if (begin == kNone) return true;  // the long value: its beginning is out of sight
    tail.at = begin;
    if (!tail.take(':')) return false;
    tail.skip_space();
    if (tail.at <= tail.floor || tail.text[tail.at - 1] != '"') return false;
    const std::size_t key = tail.string_begin(tail.at);
    if (key == kNone) return false;
    members.push_back(
        {tail.text.substr(key + 1, tail.at - key - 2), tail.text.substr(begin, end - begin)});
    tail.at = key;
    if (!tail.take(',')) return false;
  }
}

}  // namespace

std::optional<Members> read_edge_members(std::string_view text) {
  if (text.size() < 2 * kEdgeBytes) return std::nullopt;
  Forward head{.text = text.substr(0, kEdgeBytes)};
  if (!head.take('{')) return std::nullopt;
  Members members;
  std::optional<std::string_view> key;
  for (;;) {
    key = take_key(head);
    if (!key) return std::nullopt;
    const std::size_t end = head.value_end(head.at);
    if (end == kNone) break;
    members.push_back({*key, text.substr(head.at, end - head.at)});
    head.at = end;
    if (!head.take(',')) return std::nullopt;
  }

  Backward tail{.text = text, .floor = text.size() - kEdgeBytes, .at = text.size()};
  Members behind;
  if (!tail.take('}') || !take_tail(tail, behind)) return std::nullopt;
  const auto value = text.substr(head.at, tail.at - head.at);
  if (!brackets_match(value)) return std::nullopt;
  members.push_back({*key, value});
  members.insert(members.end(), behind.rbegin(), behind.rend());
  return members;
}

}  // namespace weighbridge::protocol::detail
