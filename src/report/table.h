#pragma once

#include <string>
#include <vector>

#include "report/numbers.h"

namespace weighbridge::report {

/// What a column holds decides how each output sets it.
enum class Content {
  text,    ///< our own words and the target's names: to the left
  code,    ///< foreign words to be read literally: tool names, commands
  number,  ///< to the right
};

struct Column {
  std::string title;
  Content content = Content::number;
  /// 0: never left out. On a narrow page the highest goes first.
  int expendable = 0;
  /// Intervals of this column are shown even where room is short.
  bool spread_matters = false;
};

using Row = std::vector<Cell>;

/// Chosen, rounded and worded; how it is set is the output's affair. Every row has as many cells as
/// there are columns.
struct Table {
  std::string title;  ///< with the unit: "Memory (MiB), threads and processor time"
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<std::string> notes;  ///< how to read it; our own words

  [[nodiscard]] bool empty() const { return rows.empty(); }
};

}  // namespace weighbridge::report
