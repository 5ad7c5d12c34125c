#include "plan/detail/jsonc.h"

#include <fmt/format.h>

#include <algorithm>

namespace weighbridge::plan::detail {
namespace {

/// Behind the string, comment or single byte that begins at `at`.
std::size_t behind_token(std::string_view text, std::size_t at) {
  const auto behind = [&](std::string_view end, std::size_t from) {
    const std::size_t found = text.find(end, from);
    return found == text.npos ? text.size() : found + end.size();
  };
  if (text.substr(at).starts_with("//")) return behind("\n", at);
  if (text.substr(at).starts_with("/*")) return behind("*/", at + 2);
  if (text[at] != '"') return at + 1;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

bool is_space_or_comment(std::string_view text, std::size_t at) {
  return text.substr(at).starts_with("//") || text.substr(at).starts_with("/*") ||
         std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos;
}

/// A blank for every comma that stands before a closing bracket: the parser knows comments, but not
/// those, and a blank leaves lines and columns where they were.
std::string without_trailing_commas(std::string_view text) {
  std::string clean(text);
  std::size_t comma = text.npos;
  for (std::size_t at = 0; at < text.size(); at = behind_token(text, at)) {
    if (is_space_or_comment(text, at)) continue;
    if ((text[at] == '}' || text[at] == ']') && comma != text.npos) clean[comma] = ' ';
    comma = text[at] == ',' ? at : text.npos;
  }
  return clean;
}

/// "unexpected end of input; expected '}'" of the parser's own long sentence, without what it read.
std::string reason_of(std::string_view sentence) {
  const std::size_t dash = sentence.find(" - ");
  if (dash != sentence.npos) sentence.remove_prefix(dash + 3);
  std::string reason(sentence);
  if (const std::size_t quoted = reason.find("; last read"); quoted != reason.npos) {
    const std::size_t expected = reason.find("; expected", quoted);
    reason.erase(quoted, expected == reason.npos ? reason.npos : expected - quoted);
  }
  return reason;
}

std::string place(const std::string& path, std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 when there is none
  return fmt::format("{}:{}:{}", path, std::ranges::count(before, '\n') + 1,
                     before.size() - line_begin + 1);
}

}  // namespace

Result<nlohmann::ordered_json> parse_jsonc(std::string_view text, const std::string& path) {
  try {
    return nlohmann::ordered_json::parse(without_trailing_commas(text), nullptr,
                                         /*allow_exceptions=*/true, /*ignore_comments=*/true);
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t byte = error.byte > 0 ? error.byte - 1 : 0;
    return fail(ErrorCode::plan, fmt::format("not valid JSON: {}", reason_of(error.what())),
                place(path, text, byte));
  }
}

}  // namespace weighbridge::plan::detail
