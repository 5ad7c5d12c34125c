#include "load/arguments.h"

#include <array>
#include <charconv>
#include <memory>
#include <optional>

#include "base/random.h"
#include "load/detail/mix.h"

namespace weighbridge::load {
namespace {

constexpr std::size_t kLargestPayload = 16 * 1024 * 1024;
constexpr std::string_view kHex = "0123456789abcdef";

void append_number(std::string& out, std::uint64_t number) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

void append_hex(std::string& out, std::uint64_t bits, int digits) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) out += kHex[bits >> shift & 15U];
}

void append_uuid(std::string& out, const CallNumber& call) {
  // RFC 9562, 5.4: version 4 and its variant in their places, everything else random.
  const std::uint64_t high = detail::mix(call.seed, call.id, 1) & ~0xf000ULL;
  const std::uint64_t low = detail::mix(call.seed, call.id, 2) & ~0xc000000000000000ULL;
  append_hex(out, high >> 32, 8);
  out += '-';
  append_hex(out, high >> 16 & 0xffffU, 4);
  out += '-';
  append_hex(out, (high & 0xffffU) | 0x4000U, 4);
  out += '-';
  append_hex(out, (low | 0x8000000000000000ULL) >> 48, 4);
  out += '-';
  append_hex(out, low & 0xffffffffffffULL, 12);
}

/// A stretch of one long random text, from a place that the call decides: drawing every letter anew
/// would cost more than sending it.
void append_payload(std::string& out, const CallNumber& call, std::size_t bytes) {
  static const std::string pool = [] {
    constexpr std::string_view kLetters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    Random random(0x7061796c6f6164);
    std::string text(1 << 20, ' ');
    for (char& c : text) c = kLetters[random.below(kLetters.size())];
    return text;
  }();
  std::size_t at = detail::mix(call.seed, call.id, 3) % pool.size();
  while (bytes > 0) {
    const std::size_t length = std::min(bytes, pool.size() - at);
    out.append(pool, at, length);
    bytes -= length;
    at = 0;
  }
}

std::optional<std::size_t> payload_bytes(std::string_view name) {
  constexpr std::string_view kPrefix = "payload:";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  std::size_t bytes = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), bytes);
  if (error != std::errc{} || end != name.data() + name.size() || bytes > kLargestPayload)
    return std::nullopt;
  return bytes;
}

}  // namespace

std::string nonce_of(const CallNumber& call) {
  std::string nonce;
  append_hex(nonce, detail::mix(call.seed, call.id, 4), 16);
  return nonce;
}

TextTemplate::TextTemplate(std::string_view text) {
  while (!text.empty()) {
    const auto open = text.find('{');
    add_literal(text.substr(0, open));
    if (open == std::string_view::npos) return;
    text.remove_prefix(open);
    const auto close = text.find('}');
    const auto name = text.substr(1, close == std::string_view::npos ? 0 : close - 1);
    if (name == "n") {
      parts_.push_back({.what = What::n});
    } else if (name == "uuid") {
      parts_.push_back({.what = What::uuid});
    } else if (name == "nonce") {
      parts_.push_back({.what = What::nonce});
    } else if (const auto bytes = payload_bytes(name)) {
      parts_.push_back({.what = What::payload, .bytes = *bytes});
    } else {
      add_literal("{");
      text.remove_prefix(1);
      continue;
    }
    text.remove_prefix(close + 1);
  }
}

void TextTemplate::add_literal(std::string_view text) {
  if (text.empty()) return;
  if (parts_.empty() || parts_.back().what != What::literal) parts_.emplace_back();
  parts_.back().text += text;
}

void TextTemplate::append(std::string& out, const CallNumber& call) const {
  for (const Part& part : parts_) {
    switch (part.what) {
      case What::literal:
        out += part.text;
        break;
      case What::n:
        append_number(out, call.n);
        break;
      case What::uuid:
        append_uuid(out, call);
        break;
      case What::nonce:
        append_hex(out, detail::mix(call.seed, call.id, 4), 16);
        break;
      case What::payload:
        append_payload(out, call, part.bytes);
        break;
    }
  }
}

bool TextTemplate::has_nonce() const {
  for (const Part& part : parts_)
    if (part.what == What::nonce) return true;
  return false;
}

}  // namespace weighbridge::load
