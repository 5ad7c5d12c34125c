#include "protocol/json_text.h"

#include <simdjson.h>

#include <array>
#include <cstdint>

namespace weighbridge::protocol {
namespace {

/// One character of foreign text, and what is shown of it.
struct Character {
  std::size_t length = 1;  ///< in the text
  std::string_view shown;
  bool blank = false;  ///< white space, or something no terminal should obey
};

/// Controls of either kind, and the marks that turn the direction of what follows around.
bool is_control(std::uint32_t code) {
  return code <= 0x20 || (code >= 0x7f && code <= 0xa0) || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

/// What is no UTF-8 is shown as U+FFFD, a byte at a time: a record is JSON and must stay so.
Character first_character(std::string_view text) {
  constexpr Character kInvalid{1, "\xef\xbf\xbd", false};
  constexpr std::array<std::uint32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  const auto first = static_cast<unsigned char>(text.front());
  std::size_t length = 1;
  if (first >= 0xf0) {
    length = 4;
  } else if (first >= 0xe0) {
    length = 3;
  } else if (first >= 0x80) {
    length = 2;
  }
  if (first > 0xf4 || (first >= 0x80 && first < 0xc2) || length > text.size()) return kInvalid;
  std::uint32_t code = length == 1 ? first : first & (0xffU >> (length + 1));
  for (const char c : text.substr(1, length - 1)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) != 0x80) return kInvalid;
    code = code << 6 | (byte & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest.at(length) || code > 0x10ffff || surrogate) return kInvalid;
  return {length, text.substr(0, length), is_control(code)};
}

}  // namespace

std::string quote(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  out.reserve(text.size() + 2);
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 0xf];
    } else {
      out += c;
    }
  }
  out += '"';
  return out;
}

Result<void> check_json(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  const auto error = parser.parse(text.data(), text.size()).get(root);
  if (error == simdjson::SUCCESS) return {};
  return fail(ErrorCode::malformed, simdjson::error_message(error));
}

std::optional<std::string> unquote(std::string_view literal) {
  if (literal.size() < 2 || literal.front() != '"') return std::nullopt;
  const auto inner = literal.substr(1, literal.size() - 2);
  if (literal.back() == '"' && inner.find_first_of("\\\"") == std::string_view::npos)
    return std::string(inner);
  simdjson::ondemand::parser parser;
  const simdjson::padded_string padded(literal);
  simdjson::ondemand::document document;
  std::string_view text;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return std::nullopt;
  if (document.get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
  return std::string(text);
}

std::string first_words(std::string_view text, std::size_t limit) {
  constexpr std::string_view kCut = "…";
  std::string out;
  bool gap = false;
  while (!text.empty()) {
    const Character character = first_character(text);
    text.remove_prefix(character.length);
    if (character.blank) {
      gap = !out.empty();
      continue;
    }
    if (out.size() + (gap ? 1 : 0) + character.shown.size() > limit) {
      // Bytes 10xxxxxx continue a character: take the whole of a cut one away.
      while (!out.empty() && out.size() + kCut.size() > limit) {
        while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xc0) == 0x80)
          out.pop_back();
        if (!out.empty()) out.pop_back();
      }
      return out + std::string(kCut);
    }
    if (gap) out += ' ';
    gap = false;
    out += character.shown;
  }
  return out;
}

}  // namespace weighbridge::protocol
