#pragma once

#include <cstddef>
#include <string>

#include "report/view.h"

namespace weighbridge::report {

struct TerminalStyle {
  std::size_t width = 100;  ///< columns; lines are kept within where a table allows it
  bool colour = false;
};

/// The summary for the screen: the three tables, then every doubt with what is lost by it. On a
/// narrow screen the most expendable columns are left out, and named.
std::string to_terminal(const View& view, const TerminalStyle& style);

/// One table with its title, a blank line before it; empty when it has no rows.
std::string table_text(const Table& table, const TerminalStyle& style);

}  // namespace weighbridge::report
