#include "plan/detail/free_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "base/words.h"

namespace weighbridge::plan::detail {
namespace {

constexpr std::string_view kMask = "***";
constexpr std::string_view kSpace = " \t";
// Where a bare value ends: in prose, JSON and query strings; behind a flag, where a password may
// hold any mark; behind a cookie, which is a list.
constexpr std::string_view kValueEnd = " \t\r\n,;&\"'<>()[]{}|\\";
constexpr std::string_view kFlagEnd = " \t\r\n\"'";
constexpr std::string_view kCookieEnd = "\r\n\"'";

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

/// "X-Api-Key", "apiKey" and "API_KEY" as "api", "key".
std::vector<std::string> parts_of(std::string_view word) {
  std::vector<std::string> parts(1);
  bool was_lower = false;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    const bool breaks = c == '-' || c == '_' || (was_lower && std::isupper(byte) != 0);
    if (breaks && !parts.back().empty()) parts.emplace_back();
    if (c != '-' && c != '_') parts.back() += static_cast<char>(std::tolower(byte));
    was_lower = std::islower(byte) != 0;
  }
  return parts;
}

bool part_tells(std::string_view part) {
  static constexpr std::array kWhole{"key", "auth", "pat", "cookie"};
  static constexpr std::array kEndings{"token",      "secret",     "password",    "passwd",
                                       "passphrase", "apikey",     "accesskey",   "secretkey",
                                       "privatekey", "credential", "credentials", "authorization"};
  return std::ranges::any_of(kWhole, [&](std::string_view whole) { return part == whole; }) ||
         std::ranges::any_of(kEndings, [&](std::string_view end) { return part.ends_with(end); });
}

std::size_t skip(std::string_view text, std::size_t at, std::string_view any_of) {
  return std::min(text.find_first_not_of(any_of, at), text.size());
}

/// A quote as it stands here: `"`, `'`, or `\"` inside JSON inside JSON.
std::string_view quote_at(std::string_view text, std::size_t at) {
  if (text.substr(at).starts_with("\\\"")) return text.substr(at, 2);
  if (at < text.size() && (text[at] == '"' || text[at] == '\'')) return text.substr(at, 1);
  return {};
}

std::size_t closing_quote(std::string_view text, std::size_t from, std::string_view quote) {
  for (std::size_t at = text.find(quote, from); at != text.npos; at = text.find(quote, at + 1)) {
    if (quote.size() == 2 || text[at - 1] != '\\' || at == from) return at;
  }
  return text.size();
}

struct Value {
  std::size_t begin = 0;
  std::size_t end = 0;  ///< equal to begin: there is none
};

Value bare_value(std::string_view text, std::size_t begin, std::string_view ends) {
  const auto word_end = [&](std::size_t at) {
    return std::min(text.find_first_of(ends, at), text.size());
  };
  const std::size_t end = word_end(begin);
  for (const std::string_view scheme : {"bearer", "basic", "token", "digest"}) {
    // The scheme is no secret, the word behind it is.
    if (!equals_ignoring_case(text.substr(begin, end - begin), scheme)) continue;
    const std::size_t next = skip(text, end, kSpace);
    if (next > end && word_end(next) > next) return {next, word_end(next)};
  }
  return {begin, end};
}

/// The value that belongs to a telling word which ends at `at`.
Value value_behind(std::string_view text, std::size_t at, std::string_view word) {
  const bool flag = word.starts_with('-');
  std::size_t next = skip(text, at + quote_at(text, at).size(), kSpace);
  const bool joined = next < text.size() && (text[next] == '=' || text[next] == ':');
  if (joined)
    next = skip(text, next + 1, kSpace);
  else if (!flag || next == at || (next < text.size() && text[next] == '-'))
    return {};
  const std::string_view quote = quote_at(text, next);
  if (!quote.empty()) {
    const std::size_t begin = next + quote.size();
    return {begin, closing_quote(text, begin, quote)};
  }
  if (equals_ignoring_case(word, "cookie") || equals_ignoring_case(word, "set-cookie"))
    return bare_value(text, next, kCookieEnd);
  return bare_value(text, next, flag ? kFlagEnd : kValueEnd);
}

std::string without_telling_values(std::string_view text) {
  std::string clean;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end == at) {
      clean += text[at++];
      continue;
    }
    const std::string_view word = text.substr(at, end - at);
    const Value value = names_a_secret(word) ? value_behind(text, end, word) : Value{};
    if (value.end > value.begin && text.substr(value.begin, value.end - value.begin) != "null") {
      clean += text.substr(at, value.begin - at);
      clean += kMask;
      at = value.end;
    } else {
      clean += word;
      at = end;
    }
  }
  return clean;
}

std::string without_url_users(std::string_view text) {
  std::string clean;
  std::size_t copied = 0;
  for (std::size_t at = text.find("://"); at != text.npos; at = text.find("://", at + 3)) {
    const std::size_t begin = at + 3;
    const std::size_t end = std::min(text.find_first_of("/?# \t\r\n\"'<>", begin), text.size());
    const std::size_t user_end = text.substr(0, end).rfind('@');
    if (user_end == text.npos || user_end <= begin) continue;
    clean += text.substr(copied, begin - copied);
    clean += kMask;
    copied = user_end;
  }
  clean += text.substr(copied);
  return clean;
}

}  // namespace

bool names_a_secret(std::string_view word) {
  return std::ranges::all_of(word, is_word) && std::ranges::any_of(parts_of(word), part_tells);
}

std::string without_named_secrets(std::string_view text) {
  return without_url_users(without_telling_values(text));
}

}  // namespace weighbridge::plan::detail
