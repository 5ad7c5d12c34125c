#include "plan/redactor.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <optional>

#include "base/words.h"
#include "plan/detail/free_text.h"
#include "plan/placeholders.h"

namespace weighbridge::plan {
namespace {

constexpr std::string_view kCaller = "{credential}";
constexpr std::string_view kMask = "***";
constexpr std::size_t kShort = 6;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::size_t length(const std::vector<std::string>& pieces) {
  return std::accumulate(
      pieces.begin(), pieces.end(), std::size_t{0},
      [](std::size_t sum, const std::string& piece) { return sum + piece.size(); });
}

/// Where a match that begins at `from` ends: the pieces with any number between them.
std::optional<std::size_t> match(std::string_view text, std::size_t from,
                                 const std::vector<std::string>& pieces, std::size_t index = 0) {
  if (!text.substr(from).starts_with(pieces[index])) return std::nullopt;
  const std::size_t behind = from + pieces[index].size();
  if (index + 1 == pieces.size()) return behind;
  std::size_t digits_end = behind;
  while (digits_end < text.size() && is_digit(text[digits_end])) ++digits_end;
  // The next piece may itself begin with a digit, so fewer digits are tried too.
  for (std::size_t end = digits_end; end > behind; --end) {
    if (const auto found = match(text, end, pieces, index + 1)) return found;
  }
  return std::nullopt;
}

bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  return (begin == 0 || !is_word(text[begin - 1])) && (end == text.size() || !is_word(text[end]));
}

std::string json_escaped(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

bool is_switch(std::string_view value) {
  static constexpr std::array kSwitches{"true", "false", "yes", "no", "on", "off", "none", "null"};
  return std::ranges::any_of(kSwitches,
                             [&](const char* word) { return equals_ignoring_case(value, word); });
}

std::vector<std::string> split_at_callers(std::string_view text) {
  std::vector<std::string> pieces;
  for (std::size_t at = text.find(kCaller); at != text.npos; at = text.find(kCaller)) {
    pieces.emplace_back(text.substr(0, at));
    text.remove_prefix(at + kCaller.size());
  }
  pieces.emplace_back(text);
  return pieces;
}

/// The values of a URL's query that are likely to be secrets: those whose names say so, and long
/// ones, which keys are and modes are not.
std::vector<std::string> secrets_in_query(std::string_view url) {
  constexpr std::size_t kLong = 16;
  std::vector<std::string> secrets;
  const std::size_t query = url.find('?');
  if (query == url.npos) return secrets;
  for (const std::string& pair : split(url.substr(query + 1), '&')) {
    const std::size_t equals = pair.find('=');
    if (equals == pair.npos) continue;
    std::string value = pair.substr(equals + 1);
    if (Redactor::tells_of_secret(pair.substr(0, equals)) || value.size() >= kLong)
      secrets.push_back(std::move(value));
  }
  return secrets;
}

}  // namespace

bool Redactor::tells_of_secret(std::string_view name) {
  static constexpr std::array kTelling{"TOKEN",  "KEY",  "SECRET",     "PASSWORD",
                                       "PASSWD", "AUTH", "CREDENTIAL", "COOKIE"};
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return std::ranges::any_of(kTelling,
                             [&](const char* word) { return upper.find(word) != upper.npos; });
}

Redactor::Redactor(const Plan& plan) {
  const auto add_telling = [this](const Environment& env) {
    for (const auto& [name, value] : env) {
      if (tells_of_secret(name)) add_secret(value);
    }
  };
  if (plan.stdio) {
    add_telling(plan.stdio->env);
    if (plan.stdio->credential) add_secret(plan.stdio->credential->value);
  }
  if (plan.http) {
    add_telling(plan.http->env);
    for (const auto& [name, value] : plan.http->headers) add_secret(value);
    if (plan.http->credential) add_secret(plan.http->credential->value);
    for (const std::string& value : secrets_in_query(plan.http->url)) add_secret(value);
  }
  for (const std::string& value : plan.secrets) add_secret(value);
  for (const Variant& variant : plan.variants) add_telling(variant.env);
  if (plan.otlp) add_telling(plan.otlp->env);
  add_telling(plan.run.env);
}

void Redactor::add_secret(const std::string& value) {
  const std::string_view trimmed = trim(value);
  // "Bearer abc": a server that repeats its token repeats "abc" alone.
  for (const std::string_view scheme : {"Bearer ", "Basic ", "Token "}) {
    if (trimmed.size() > scheme.size() &&
        equals_ignoring_case(trimmed.substr(0, scheme.size()), scheme))
      add_secret(std::string(trimmed.substr(scheme.size())));
  }
  for (const std::string& name : placeholders_in(trimmed)) {
    if (name == "credential") continue;
    // What {upstream} or {port} will stand for is not known here, and is no secret.
    const std::string braces = "{" + name + "}";
    const std::size_t at = trimmed.find(braces);
    add_secret(std::string(trimmed.substr(0, at)));
    add_secret(std::string(trimmed.substr(at + braces.size())));
    return;
  }
  const Pieces pieces = split_at_callers(trimmed);
  add_pieces(pieces);
  // The same bytes as they travel inside JSON and inside a URL.
  const auto add_escaped = [&](const auto& escape) {
    Pieces escaped;
    for (const std::string& piece : pieces) escaped.push_back(escape(piece));
    if (escaped != pieces) add_pieces(std::move(escaped));
  };
  add_escaped(json_escaped);
  add_escaped(percent_encoded);
}

void Redactor::add_pieces(Pieces pieces) {
  if (length(pieces) == 0 || (pieces.size() == 1 && is_switch(pieces.front()))) return;
  if (std::ranges::find(secrets_, pieces) != secrets_.end()) return;
  secrets_.push_back(std::move(pieces));
  std::ranges::stable_sort(secrets_,
                           [](const Pieces& a, const Pieces& b) { return length(a) > length(b); });
}

std::string Redactor::without_literals(std::string_view text) const {
  std::string clean;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    for (const Pieces& secret : secrets_) {
      const auto found = match(text, at, secret);
      if (!found || (length(secret) < kShort && !stands_alone(text, at, *found))) continue;
      end = *found;
      break;
    }
    if (end > at)
      clean += kMask;
    else
      clean += text[end++];
    at = end;
  }
  return clean;
}

std::string Redactor::operator()(std::string_view text) const {
  return detail::without_named_secrets(without_literals(text));
}

std::vector<std::string> Redactor::operator()(const std::vector<std::string>& command) const {
  std::vector<std::string> clean;
  clean.reserve(command.size());
  bool behind_telling_flag = false;
  for (const std::string& argument : command) {
    const bool flag = argument.starts_with('-');
    const std::size_t equals = argument.find('=');
    const bool tells = detail::names_a_secret(argument.substr(0, equals));
    if (behind_telling_flag && !flag)
      clean.emplace_back(kMask);
    else if (tells && equals != argument.npos)
      clean.push_back(argument.substr(0, equals + 1) + std::string(kMask));
    else
      clean.push_back((*this)(argument));
    behind_telling_flag = flag && tells && equals == argument.npos;
  }
  return clean;
}

}  // namespace weighbridge::plan
