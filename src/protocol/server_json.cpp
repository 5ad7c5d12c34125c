#include "protocol/server_json.h"

#include <cstdint>
#include <cstring>

namespace weighbridge::protocol {
namespace {

bool is_plain(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
}

constexpr std::uint64_t kOnes = 0x0101010101010101U;
constexpr std::uint64_t kTops = 0x8080808080808080U;

/// Has the top bit of some byte set when that byte is zero (and maybe when a lower one was).
std::uint64_t zero_bytes(std::uint64_t word) {
  return (word - kOnes) & ~word & kTops;
}

/// How many bytes at the front need no escape: eight at a time, because most texts have none.
std::size_t plain_length(std::string_view text) {
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    const auto control = (word - kOnes * 0x20) & ~word & kTops;
    const auto special = control | zero_bytes(word ^ kOnes * '"') | zero_bytes(word ^ kOnes * '\\');
    if (special != 0) break;
  }
  while (at < text.size() && is_plain(text[at])) ++at;
  return at;
}

void append_one_escaped(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kHex[value >> 4U];
  out += kHex[value & 15U];
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const auto plain = plain_length(text);
    out.append(text.data(), plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    append_one_escaped(out, text.front());
    text.remove_prefix(1);
  }
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text);
  out += '"';
}

}  // namespace weighbridge::protocol
