#include "protocol/server_base64.h"

namespace weighbridge::protocol {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto left = bytes.size() - at;
    unsigned group = static_cast<unsigned char>(bytes[at]) << 16U;
    if (left > 1) group |= static_cast<unsigned>(static_cast<unsigned char>(bytes[at + 1])) << 8U;
    if (left > 2) group |= static_cast<unsigned char>(bytes[at + 2]);
    text += kDigits[group >> 18U];
    text += kDigits[group >> 12U & 63U];
    text += left > 1 ? kDigits[group >> 6U & 63U] : '=';
    text += left > 2 ? kDigits[group & 63U] : '=';
  }
  return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  unsigned held = 0;
  unsigned bits = 0;
  for (const char c : text) {
    if (c == '=' || c == '\r' || c == '\n') continue;
    const auto value = kDigits.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    held = (held << 6U | static_cast<unsigned>(value)) & 0xFFFFU;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 0xFFU);
  }
  return bytes;
}

std::optional<std::string> decode_strict_base64(std::string_view text) {
  auto bytes = decode_base64(text);
  if (bytes && encode_base64(*bytes) != text) return std::nullopt;
  return bytes;
}

}  // namespace weighbridge::protocol
