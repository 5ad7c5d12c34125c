#include "plan/placeholders.h"

#include <fmt/format.h>

#include <optional>

#include "base/words.h"

namespace weighbridge::plan {
namespace {

bool is_word(char c, bool first) {
  return (c >= 'a' && c <= 'z') || (!first && (c == '_' || (c >= '0' && c <= '9')));
}

struct Found {
  std::size_t begin = 0;  ///< of the opening brace
  std::size_t end = 0;    ///< behind the closing brace
  std::string name;
};

std::optional<Found> next_placeholder(std::string_view text, std::size_t from) {
  for (std::size_t open = text.find('{', from); open != std::string_view::npos;
       open = text.find('{', open + 1)) {
    std::size_t end = open + 1;
    while (end < text.size() && is_word(text[end], end == open + 1)) ++end;
    if (end > open + 1 && end < text.size() && text[end] == '}')
      return Found{open, end + 1, std::string(text.substr(open + 1, end - open - 1))};
  }
  return std::nullopt;
}

/// The text itself is not quoted: it may hold a credential.
std::unexpected<Error> no_value(const std::string& name, const Placeholders& values) {
  std::vector<std::string> known;
  std::string list;
  for (const auto& [key, value] : values) {
    known.push_back(key);
    list += fmt::format("{}`{{{}}}`", list.empty() ? "" : ", ", key);
  }
  const std::string near = nearest_word(name, known);
  std::string remedy = "There is none to use here";
  if (!near.empty())
    remedy = fmt::format("Did you mean `{{{}}}`?", near);
  else if (!list.empty())
    remedy = fmt::format("Those that have one: {}", list);
  return fail(ErrorCode::plan, fmt::format("`{{{}}}` has no value here", name), {}, remedy);
}

}  // namespace

Result<std::string> fill(std::string_view text, const Placeholders& values) {
  std::string filled;
  std::size_t copied = 0;
  // What was filled in is not looked at again: a value with braces stays what it is.
  while (const auto found = next_placeholder(text, copied)) {
    const auto value = values.find(found->name);
    if (value == values.end()) return no_value(found->name, values);
    filled += text.substr(copied, found->begin - copied);
    filled += value->second;
    copied = found->end;
  }
  filled += text.substr(copied);
  return filled;
}

Result<std::vector<std::string>> fill(const std::vector<std::string>& texts,
                                      const Placeholders& values) {
  std::vector<std::string> filled;
  filled.reserve(texts.size());
  for (const std::string& text : texts) {
    WB_TRY(std::string one, fill(text, values));
    filled.push_back(std::move(one));
  }
  return filled;
}

std::vector<std::string> placeholders_in(std::string_view text) {
  std::vector<std::string> names;
  std::size_t from = 0;
  while (auto found = next_placeholder(text, from)) {
    from = found->end;
    names.push_back(std::move(found->name));
  }
  return names;
}

}  // namespace weighbridge::plan
