#include "report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/words.h"
#include "report/text.h"
#include "report/wording.h"

namespace weighbridge::report {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::size_t kNarrowest = 40;
constexpr std::size_t kNarrowestTitle = 6;

class Screen {
 public:
  explicit Screen(const TerminalStyle& style)
      : width_(std::max(style.width, kNarrowest)), colour_(style.colour) {}

  [[nodiscard]] std::size_t width() const { return width_; }
  void line(std::string_view text = {}) {
    text_ += text;
    text_ += '\n';
  }
  void bold(std::string_view text) { line(painted("1", text)); }
  void dim(std::string_view text) { line(painted("2", text)); }
  void warn(std::string_view text) { line(painted("33", text)); }
  /// A paragraph within the width, every line after `indent` blanks.
  void prose(std::string_view text, std::size_t indent, void (Screen::*set)(std::string_view)) {
    for (const std::string& part : wrap(text, width_ - indent))
      (this->*set)(std::string(indent, ' ') + part);
  }
  void plain(std::string_view text) { line(text); }
  std::string take() { return std::move(text_); }

 private:
  [[nodiscard]] std::string painted(std::string_view code, std::string_view text) const {
    return colour_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }

  std::size_t width_;
  bool colour_;
  std::string text_;
};

/// How much of the intervals there is room for.
enum class Spreads { all, that_matter, none };

/// A table as it will stand: the columns that are left and their widths.
struct Layout {
  std::vector<std::size_t> columns;
  std::vector<std::size_t> widths;
  Spreads spreads = Spreads::all;

  [[nodiscard]] std::size_t width() const {
    return std::accumulate(widths.begin(), widths.end(), std::size_t{0}) +
           kGap.size() * (widths.empty() ? 0 : widths.size() - 1);
  }
};

std::string set_cell(const Cell& cell, const Column& column, Spreads spreads) {
  if (column.content != Content::number) return printable(cell.value, 60);
  const bool with_spread =
      spreads == Spreads::all || (spreads == Spreads::that_matter && column.spread_matters);
  return with_spread ? joined(cell) : cell.value;
}

/// Titles are stacked, so only their longest word counts; but a stack of very short words is no
/// title.
void measure(const Table& table, Layout& layout) {
  layout.widths.clear();
  for (const std::size_t i : layout.columns) {
    const std::string& title = table.columns[i].title;
    std::size_t width = std::min(display_width(title), kNarrowestTitle);
    for (const std::string& word : split(title, ' ')) width = std::max(width, display_width(word));
    for (const Row& row : table.rows)
      width = std::max(width, display_width(set_cell(row[i], table.columns[i], layout.spreads)));
    layout.widths.push_back(width);
  }
}

/// Intervals that matter less go first, then the most expendable column, at last all intervals,
/// until the rest fits.
Layout fit(const Table& table, std::size_t width) {
  Layout layout;
  layout.columns.resize(table.columns.size());
  std::iota(layout.columns.begin(), layout.columns.end(), std::size_t{0});
  measure(table, layout);
  if (layout.width() <= width) return layout;
  layout.spreads = Spreads::that_matter;
  measure(table, layout);
  while (layout.width() > width) {
    const auto victim = std::ranges::max_element(
        layout.columns, {}, [&](std::size_t i) { return table.columns[i].expendable; });
    if (table.columns[*victim].expendable == 0) {
      layout.spreads = Spreads::none;
      measure(table, layout);
      break;
    }
    layout.columns.erase(victim);
    measure(table, layout);
  }
  return layout;
}

std::string padded(const std::string& text, std::size_t width, bool to_the_right) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return to_the_right ? blanks + text : text + blanks;
}

/// One line of a table; `text_of` gives the text of a column by its number in the table.
template <typename TextOf>
std::string table_line(const Table& table, const Layout& layout, const TextOf& text_of) {
  std::string line;
  for (std::size_t k = 0; k < layout.columns.size(); ++k) {
    const std::size_t i = layout.columns[k];
    if (k > 0) line += kGap;
    line += padded(text_of(i), layout.widths[k], table.columns[i].content == Content::number);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// Stacked so that every title stands on the line above the figures.
void add_titles(Screen& screen, const Table& table, const Layout& layout) {
  std::map<std::size_t, std::vector<std::string>> stacks;
  std::size_t height = 0;
  for (std::size_t k = 0; k < layout.columns.size(); ++k) {
    auto& stack = stacks[layout.columns[k]];
    stack = wrap(table.columns[layout.columns[k]].title, layout.widths[k]);
    height = std::max(height, stack.size());
  }
  for (std::size_t row = 0; row < height; ++row) {
    screen.dim(table_line(table, layout, [&](std::size_t i) {
      const std::size_t missing = height - stacks[i].size();
      return row < missing ? std::string() : stacks[i][row - missing];
    }));
  }
}

void add_table(Screen& screen, const Table& table) {
  if (table.empty()) return;
  const Layout layout = fit(table, screen.width());
  screen.line();
  screen.bold(table.title);
  add_titles(screen, table, layout);
  std::string scenario;
  for (const Row& row : table.rows) {
    // The scenario's name once per block of rows: the eye finds the next one sooner.
    const bool repeated = row.front().value == scenario;
    scenario = row.front().value;
    screen.line(table_line(table, layout, [&](std::size_t i) {
      return i == 0 && repeated ? std::string()
                                : set_cell(row[i], table.columns[i], layout.spreads);
    }));
  }
  std::vector<std::string> left_out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (std::ranges::find(layout.columns, i) == layout.columns.end())
      left_out.push_back(table.columns[i].title);
  }
  if (!left_out.empty())
    screen.prose(fmt::format("No room for: {}.", fmt::join(left_out, "; ")), 0, &Screen::dim);
}

/// A screen is for reading: the same doubt in every repeat of every scenario would scroll the
/// figures away.
constexpr std::size_t kPlacesShown = 3;

void add_doubts(Screen& screen, const View& view) {
  if (view.doubts.empty()) return;
  screen.line();
  screen.bold("Doubts");
  for (const DoubtGroup& group : view.doubts) {
    screen.prose(fmt::format("! {} ({})", group.title, group.kind), 0, &Screen::warn);
    std::size_t shown = 0;
    for (const DoubtGroup::Place& place : group.places) {
      if (shown == kPlacesShown && group.places.size() > kPlacesShown + 1) {
        screen.prose(fmt::format("and {} more places, all of them in the report and the record",
                                 group.places.size() - shown),
                     2, &Screen::plain);
        break;
      }
      ++shown;
      const std::string where = place.where.empty() ? "whole run" : printable(place.where);
      screen.prose(fmt::format("{}: {}", where, printable(place.message)), 2, &Screen::plain);
    }
    screen.prose(fmt::format("Lost: {}.", group.lost), 2, &Screen::plain);
    if (!group.advice.empty()) screen.prose(printable(group.advice), 2, &Screen::plain);
  }
}

void add_outcomes(Screen& screen, const View& view) {
  screen.line();
  screen.prose(view.outcomes, 0, &Screen::plain);
  for (const FirstText& first : view.first_texts) {
    screen.prose(fmt::format("{}, {}: {} {}{}", printable(first.scenario), printable(first.method),
                             first.calls, first.outcome,
                             first.text.empty() ? "" : "; first: " + printable(first.text, 200)),
                 2, &Screen::plain);
  }
}

}  // namespace

std::string table_text(const Table& table, const TerminalStyle& style) {
  Screen screen(style);
  add_table(screen, table);
  return screen.take();
}

std::string to_terminal(const View& view, const TerminalStyle& style) {
  Screen screen(style);
  if (!view.warning.empty()) {
    screen.prose(printable(view.warning), 0, &Screen::warn);
    screen.line();
  }
  screen.prose(printable(view.weighed), 0, &Screen::bold);
  screen.prose(printable(view.measured), 0, &Screen::plain);
  if (!view.accuracy.empty()) screen.prose(printable(view.accuracy), 0, &Screen::plain);
  for (const Table* table : {&view.memory, &view.waits, &view.latency}) add_table(screen, *table);
  screen.prose(view.loop_note, 0, &Screen::dim);
  add_outcomes(screen, view);
  add_doubts(screen, view);
  return screen.take();
}

}  // namespace weighbridge::report
