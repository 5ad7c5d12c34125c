#pragma once

#include <string_view>

namespace weighbridge::reference {

/// data/gitlab-rest-v4.tsv and data/gitlab-words.tsv as they were when the program was built, so
/// that the program needs nothing beside itself.
std::string_view embedded_operations();
std::string_view embedded_words();

}  // namespace weighbridge::reference
