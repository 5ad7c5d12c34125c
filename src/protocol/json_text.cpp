#include "protocol/json_text.h"

#include <simdjson.h>

#include <array>

namespace weighbridge::protocol {

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
  std::string out;
  bool gap = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte == 0x7f) {
      gap = !out.empty();
      continue;
    }
    if (out.size() + (gap ? 1 : 0) >= limit) {
      // Bytes 10xxxxxx continue a character: take the whole of a cut one away.
      constexpr std::string_view kCut = "…";
      while (!out.empty() && out.size() + kCut.size() > limit) {
        while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xc0) == 0x80)
          out.pop_back();
        if (!out.empty()) out.pop_back();
      }
      return out + std::string(kCut);
    }
    if (gap) out += ' ';
    gap = false;
    out += c;
  }
  return out;
}

}  // namespace weighbridge::protocol
