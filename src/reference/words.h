#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/text_index.h"

namespace weighbridge::reference {

/// The vocabulary of data/gitlab-words.tsv. All views point into the text it was read from.
class Words {
 public:
  /// What a line of the file says. The order is that of the file's first column below.
  enum class Kind : std::uint8_t {
    group,
    domain,
    verb,
    noun,
    action,
    word,
    param,
    field,
    resource,
    synonym,
    count
  };

  struct Entry {
    std::string_view key;
    std::array<std::string_view, 3> columns;  ///< those behind the key
  };

  /// Lines it does not understand are skipped: the vocabulary makes names better, and an operation
  /// without words still gets some from its path.
  explicit Words(std::string_view text);

  /// nullptr when there is none. An action's key is "METHOD path", with a tab between.
  [[nodiscard]] const Entry* find(Kind kind, std::string_view key) const;
  /// `name@context` if there is one.
  [[nodiscard]] const Entry* find_in(Kind kind, std::string_view name,
                                     std::string_view context) const;
  /// Whether any `name@…` exists: most names have none, and are spared the search for one.
  [[nodiscard]] bool has_contexts(Kind kind, std::string_view name) const;
  /// In the order of the file.
  [[nodiscard]] std::span<const Entry> all(Kind kind) const {
    return entries_[static_cast<std::size_t>(kind)];
  }

 private:
  void add(Kind kind, const Entry& entry);

  static constexpr auto kKinds = static_cast<std::size_t>(Kind::count);
  std::array<std::vector<Entry>, kKinds> entries_;
  std::array<TextIndex, kKinds> by_key_;
  std::array<TextIndex, kKinds> with_contexts_;  // by the name before the @
};

/// "issues" to "issue", "branches" to "branch". By rule; a word that is no plural comes back as it
/// is.
std::string_view singular_stem(std::string_view word, std::string_view& suffix);
std::string singular(std::string_view word);
bool is_plural(std::string_view word);

/// "merge_request" to "merge request", with the words of the vocabulary ("ci" to "CI/CD").
std::string in_prose(const Words& words, std::string_view identifier);
/// "a" or "an" and a space, by sound.
std::string_view article(std::string_view phrase);

}  // namespace weighbridge::reference
