#include "reference/words.h"

#include <algorithm>

namespace weighbridge::reference {
namespace {

using namespace std::string_view_literals;

constexpr std::array kKindNames{"group"sv, "domain"sv, "verb"sv,  "noun"sv,     "action"sv,
                                "word"sv,  "param"sv,  "field"sv, "resource"sv, "synonym"sv};

/// Cuts the next piece off the front.
std::string_view take(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const auto piece = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return piece;
}

constexpr std::uint32_t kAt = 0x40;

/// `name@context` hashes to the same whether it stands in one piece or in two.
std::uint32_t hash_key(std::string_view key) {
  return hash_text(key, 0, [](char c) { return c; });
}
std::uint32_t hash_key(std::string_view name, std::string_view context) {
  const auto continued = (hash_key(name) ^ kAt) * 16777619U;
  return hash_text(context, 2166136261U ^ continued, [](char c) { return c; });
}

/// `METHOD path` stands in the file as two columns side by side; one view over both, tab included.
std::string_view joined(std::string_view method, std::string_view path) {
  return {method.data(), static_cast<std::size_t>(path.data() + path.size() - method.data())};
}

/// Words in -s that are no plurals of what a list answers.
constexpr std::array kNotPlural{"status"sv,     "statistics"sv, "metrics"sv,     "settings"sv,
                                "changes"sv,    "counts"sv,     "preferences"sv, "plan_limits"sv,
                                "time_stats"sv, "job_stats"sv,  "approvals"sv,   "pages"sv,
                                "alias"sv};

bool ends_with_any(std::string_view word, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(endings, [&](auto ending) { return word.ends_with(ending); });
}

}  // namespace

Words::Words(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = take(text, '\n');
    if (line.empty() || line.front() == '#') continue;
    const auto name = take(line, '\t');
    const auto found = std::ranges::find(kKindNames, name);
    if (found == kKindNames.end()) continue;
    const auto kind = static_cast<Kind>(found - kKindNames.begin());
    Entry entry;
    entry.key = take(line, '\t');
    if (kind == Kind::action) entry.key = joined(entry.key, take(line, '\t'));
    for (auto& column : entry.columns) column = take(line, '\t');
    add(kind, entry);
  }
}

void Words::add(Kind kind, const Entry& entry) {
  const auto at = static_cast<std::size_t>(kind);
  const auto number = static_cast<std::uint16_t>(entries_[at].size());
  entries_[at].push_back(entry);
  by_key_[at].insert(hash_key(entry.key), number);
  if (const auto sign = entry.key.find('@'); sign != std::string_view::npos)
    with_contexts_[at].insert(hash_key(entry.key.substr(0, sign)), number);
}

const Words::Entry* Words::find(Kind kind, std::string_view key) const {
  const auto at = static_cast<std::size_t>(kind);
  const auto& entries = entries_[at];
  const int found =
      by_key_[at].find(hash_key(key), [&](auto number) { return entries[number].key == key; });
  return found != TextIndex::kNone ? &entries[static_cast<std::size_t>(found)] : nullptr;
}

const Words::Entry* Words::find_in(Kind kind, std::string_view name,
                                   std::string_view context) const {
  const auto at = static_cast<std::size_t>(kind);
  const auto& entries = entries_[at];
  const int found = by_key_[at].find(hash_key(name, context), [&](auto number) {
    const auto key = entries[number].key;
    return key.size() == name.size() + 1 + context.size() && key.starts_with(name) &&
           key[name.size()] == '@' && key.ends_with(context);
  });
  return found != TextIndex::kNone ? &entries[static_cast<std::size_t>(found)] : nullptr;
}

bool Words::has_contexts(Kind kind, std::string_view name) const {
  const auto at = static_cast<std::size_t>(kind);
  return with_contexts_[at].find(hash_key(name), [&](auto number) {
    const auto key = entries_[at][number].key;
    return key.starts_with(name) && key[name.size()] == '@';
  }) != TextIndex::kNone;
}

std::string_view singular_stem(std::string_view word, std::string_view& suffix) {
  suffix = {};
  if (!is_plural(word)) return word;
  if (word.ends_with("ies")) {
    suffix = "y";
    return word.substr(0, word.size() - 3);
  }
  if (ends_with_any(word, {"ches", "shes", "xes", "sses", "uses", "iases"}))
    return word.substr(0, word.size() - 2);
  return word.substr(0, word.size() - 1);
}

std::string singular(std::string_view word) {
  std::string_view suffix;
  const auto stem = singular_stem(word, suffix);
  return std::string(stem).append(suffix);
}

bool is_plural(std::string_view word) {
  if (word.size() < 3 || !word.ends_with('s') || ends_with_any(word, {"ss", "us"})) return false;
  return std::ranges::none_of(kNotPlural, [&](auto known) {
    return word == known || (word.ends_with(known) && word[word.size() - known.size() - 1] == '_');
  });
}

std::string in_prose(const Words& words, std::string_view identifier) {
  std::string text;
  while (!identifier.empty()) {
    const auto end = identifier.find_first_of("_-.");
    const auto word = identifier.substr(0, end);
    identifier.remove_prefix(end == std::string_view::npos ? identifier.size() : end + 1);
    if (word.empty()) continue;
    if (!text.empty()) text += ' ';
    const auto* const better = words.find(Words::Kind::word, word);
    text += better != nullptr ? better->columns[0] : word;
  }
  return text;
}

std::string_view article(std::string_view phrase) {
  constexpr std::array kSoundLikeVowels{"SSH"sv, "LDAP"sv, "npm"sv, "HTML"sv};
  constexpr std::array kSoundLikeConsonants{"user"sv, "uni"sv, "URL"sv};
  const auto begins = [&](auto word) { return phrase.starts_with(word); };
  if (std::ranges::any_of(kSoundLikeVowels, begins)) return "an ";
  if (phrase.empty() || std::ranges::any_of(kSoundLikeConsonants, begins)) return "a ";
  return "aeiouAEIOU"sv.contains(phrase.front()) ? "an " : "a ";
}

}  // namespace weighbridge::reference
