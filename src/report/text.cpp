#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/words.h"

namespace weighbridge::report {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

/// Takes one character off the front. Overlong forms, surrogates and cut-off sequences give
/// U+FFFD and take one byte.
char32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  char32_t character = length == 1 ? first : first & (0xFFU >> (length + 1));
  bool good = length != 0 && length <= text.size();
  for (std::size_t i = 1; good && i < length; ++i) {
    good = (byte(i) & 0xC0U) == 0x80;
    character = (character << 6U) | (byte(i) & 0x3FU);
  }
  const bool overlong = (length == 3 && character < 0x800) || (length == 4 && character < 0x10000);
  const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
  if (!good || overlong || surrogate || character > 0x10FFFF) {
    text.remove_prefix(1);
    return kReplacement;
  }
  text.remove_prefix(length);
  return character;
}

void append_utf8(std::string& text, char32_t character) {
  const auto put = [&](char32_t value) { text += static_cast<char>(value); };
  if (character < 0x80) {
    put(character);
  } else if (character < 0x800) {
    put(0xC0 | (character >> 6U));
    put(0x80 | (character & 0x3FU));
  } else if (character < 0x10000) {
    put(0xE0 | (character >> 12U));
    put(0x80 | ((character >> 6U) & 0x3FU));
    put(0x80 | (character & 0x3FU));
  } else {
    put(0xF0 | (character >> 18U));
    put(0x80 | ((character >> 12U) & 0x3FU));
    put(0x80 | ((character >> 6U) & 0x3FU));
    put(0x80 | (character & 0x3FU));
  }
}

bool changes_direction(char32_t c) {
  return c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
}

std::size_t columns_of(char32_t c) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  static constexpr std::array<Range, 8> kWide{{{0x1100, 0x115F},
                                               {0x2E80, 0xA4CF},
                                               {0xAC00, 0xD7A3},
                                               {0xF900, 0xFAFF},
                                               {0xFE30, 0xFE6F},
                                               {0xFF00, 0xFF60},
                                               {0x1F300, 0x1FAFF},
                                               {0x20000, 0x3FFFD}}};
  if ((c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200D) || (c >= 0xFE00 && c <= 0xFE0F))
    return 0;
  const bool wide = std::ranges::any_of(
      kWide, [c](const Range& range) { return c >= range.first && c <= range.last; });
  return wide ? 2 : 1;
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string shown;
  std::size_t count = 0;
  bool after_space = true;
  text = trim(text);
  while (!text.empty()) {
    const char32_t character = take_character(text);
    if (changes_direction(character)) continue;
    const bool space = character == ' ' || is_control(character);
    if (space && after_space) continue;
    if (count++ == most) return shown + "…";
    append_utf8(shown, space ? U' ' : character);
    after_space = space;
  }
  return std::string(trim(shown));
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) width += columns_of(take_character(text));
  return width;
}

std::string markdown_text(std::string_view text, std::size_t most) {
  constexpr std::string_view kSpecial = "\\`*_|[]#~$";
  std::string escaped;
  for (const char c : printable(text, most)) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else {
      if (kSpecial.find(c) != std::string_view::npos) escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

std::string markdown_code(std::string_view text) {
  const std::string shown = printable(text);
  if (shown.empty()) return {};
  std::size_t longest_run = 0;
  std::size_t run = 0;
  for (const char c : shown) {
    run = c == '`' ? run + 1 : 0;
    longest_run = std::max(longest_run, run);
  }
  const std::string fence(longest_run + 1, '`');
  const std::string_view pad = longest_run > 0 ? " " : "";
  return fence + std::string(pad) + shown + std::string(pad) + fence;
}

std::string markdown_code_cell(std::string_view text) {
  if (text.find('|') == std::string_view::npos) return markdown_code(text);
  // Renderers disagree on a backslash before a bar inside a code span; an entity is the same to
  // all.
  std::string html = "<code>";
  for (const char c : printable(text)) {
    switch (c) {
      case '|':
      case '*':
      case '_':
      case '`':
      case '[':
      case ']':
      case '\\':
      case '~':
      case '<':
      case '>':
      case '&':
        html += fmt::format("&#{};", static_cast<int>(c));
        break;
      default:
        html += c;
    }
  }
  return html + "</code>";
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      lines.push_back(line);
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace weighbridge::report
