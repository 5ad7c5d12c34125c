#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weighbridge::report {

/// Foreign text (server names, commands, first error texts) made safe to show: one line, no control
/// or direction-changing characters (a server could otherwise move the reader's cursor or recolour
/// the screen), valid UTF-8 (else U+FFFD), at most `most` characters with an ellipsis.
std::string printable(std::string_view text, std::size_t most = 400);

/// Columns the text takes on a terminal; UTF-8, no control characters. The C library's wcwidth is
/// not asked because it depends on the environment's locale.
std::size_t display_width(std::string_view text);

/// Printable text, at most `most` characters, in which nothing is Markdown or HTML any more.
std::string markdown_text(std::string_view text, std::size_t most = 400);
/// Printable text as a code span; empty stays empty.
std::string markdown_code(std::string_view text);
/// The same within a table cell, where a bar would begin the next one.
std::string markdown_code_cell(std::string_view text);

/// Breaks at spaces into lines of at most `width` columns; a longer word keeps a line of its own.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace weighbridge::report
