#pragma once

#include <string>

#include "report/view.h"

namespace weighbridge::report {

/// The whole report as GitHub-flavoured Markdown, ending in a newline. Foreign text is escaped: a
/// tool named "|" or "<img>" is shown, not obeyed.
std::string to_markdown(const View& view);

/// One table with its title as a heading and its notes; empty when it has no rows.
std::string table_markdown(const Table& table);

}  // namespace weighbridge::report
