#pragma once

#include <string>
#include <string_view>

namespace weighbridge::plan::detail {

/// Whether a word of free text (`--api-key`, `PRIVATE-TOKEN`, `accessToken`) announces a secret.
/// Stricter than Redactor::tells_of_secret, which would make one of "author" and "keyboard".
/// False for what is not one word.
bool names_a_secret(std::string_view word);

/// The text with "***" for what follows such a word, and for the user part of URLs.
std::string without_named_secrets(std::string_view text);

}  // namespace weighbridge::plan::detail
