#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weighbridge {

/// The candidate with the smallest edit distance to `word`, or empty when none is near enough to be
/// a plausible slip (distance at most a third of the longer word, at least one). Two neighbours
/// exchanged count as one edit.
std::string nearest_word(std::string_view word, std::span<const std::string> candidates);

/// Shell-style match of the whole text: `*` any run, `?` any one character.
bool matches_glob(std::string_view pattern, std::string_view text);

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
/// ASCII only; header names and units, never prose.
bool equals_ignoring_case(std::string_view left, std::string_view right);

/// For a name or a value in the query of a URL: every byte but letters, digits, `_`, `-`, `.` and
/// `~` as %XX.
std::string percent_encoded(std::string_view text);

}  // namespace weighbridge
