#include "protocol/foreign_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/words.h"

namespace weighbridge::protocol {
namespace {

/// More than any error page needs to say what is wrong; a reason keeps 300 bytes of it.
constexpr std::size_t kEnough = 4096;

bool starts_ignoring_case(std::string_view text, std::string_view prefix) {
  return equals_ignoring_case(text.substr(0, prefix.size()), prefix);
}

/// The element whose text no reader is meant to see, if one begins here; else empty.
std::string_view hidden_element(std::string_view text) {
  for (const std::string_view name : {"style", "script"})
    if (starts_ignoring_case(text.substr(1), name)) return name;
  return {};
}

std::size_t end_of_hidden(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find("</"); at != std::string_view::npos; at = text.find("</", at + 2))
    if (starts_ignoring_case(text.substr(at + 2), name)) return at;
  return text.size();
}

/// The character an entity stands for and how long it is written; length 0 when it is none of the
/// five that error pages escape.
std::pair<char, std::size_t> entity(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 6> kEntities{{{"&lt;", '<'},
                                                                        {"&gt;", '>'},
                                                                        {"&amp;", '&'},
                                                                        {"&quot;", '"'},
                                                                        {"&#39;", '\''},
                                                                        {"&nbsp;", ' '}}};
  for (const auto& [written, character] : kEntities)
    if (text.starts_with(written)) return {character, written.size()};
  return {'&', 0};
}

std::string without_markup(std::string_view html) {
  std::string text;
  std::size_t at = 0;
  while (at < html.size()) {
    if (html[at] == '<') {
      const auto rest = html.substr(at);
      if (const auto hidden = hidden_element(rest); !hidden.empty()) {
        at += end_of_hidden(rest, hidden);
        if (at >= html.size()) break;
      }
      const auto end = html.find('>', at);
      if (end == std::string_view::npos) break;
      text += ' ';
      at = end + 1;
      continue;
    }
    const auto [character, length] =
        html[at] == '&' ? entity(html.substr(at)) : std::pair{'&', 0UL};
    text += length > 0 ? character : html[at];
    at += std::max<std::size_t>(length, 1);
  }
  return text;
}

}  // namespace

std::string text_of_body(std::string_view body) {
  const auto beginning = trim(body.substr(0, kEnough));
  if (!beginning.starts_with('<')) return std::string(beginning);
  std::string text = without_markup(beginning);
  // A page of markup alone: what it looks like is better than nothing.
  return trim(text).empty() ? std::string(beginning) : text;
}

}  // namespace weighbridge::protocol
