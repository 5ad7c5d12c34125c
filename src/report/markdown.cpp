#include "report/markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/text.h"

namespace weighbridge::report {
namespace {

/// The names of an environment's variables are the longest there is.
constexpr std::size_t kLongestFact = 8000;

// Plain appends rather than a template engine: the page has no branch that a template would show
// better, and every value needs one of three escapings that the code beside it must choose.
class Page {
 public:
  template <typename... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    text_ += '\n';
  }
  void gap() { text_ += '\n'; }
  void heading(const std::string& title) {
    gap();
    line("## {}", title);
    gap();
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string set_cell(const Cell& cell, Content content) {
  if (content == Content::number || cell.value == kAbsent) return joined(cell);
  return content == Content::code ? markdown_code_cell(cell.value) : markdown_text(cell.value);
}

void add_rows(Page& page, const Table& table) {
  std::string titles = "|";
  std::string rule = "|";
  for (const Column& column : table.columns) {
    titles += fmt::format(" {} |", column.title);
    rule += column.content == Content::number ? " ---: |" : " --- |";
  }
  page.line("{}", titles);
  page.line("{}", rule);
  for (const Row& row : table.rows) {
    std::string line = "|";
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      line += fmt::format(" {} |", set_cell(row[i], table.columns[i].content));
    page.line("{}", line);
  }
}

void add_table(Page& page, const Table& table) {
  if (table.empty()) return;
  page.heading(table.title);
  add_rows(page, table);
  for (const std::string& note : table.notes) {
    page.gap();
    page.line("{}", note);
  }
}

void add_doubts(Page& page, const View& view) {
  page.heading("Doubts");
  if (view.doubts.empty()) {
    page.line("None arose.");
    return;
  }
  page.line("Reasons to trust a figure less, found while measuring.");
  page.gap();
  for (const DoubtGroup& group : view.doubts) {
    page.line("- **{}** (`{}`): {}.{}", group.title, group.kind, group.lost,
              group.advice.empty() ? "" : fmt::format(" *{}*", markdown_text(group.advice)));
    for (const DoubtGroup::Place& place : group.places) {
      page.line("  - {}: {}", place.where.empty() ? "whole run" : markdown_text(place.where),
                markdown_text(place.message));
    }
  }
}

void add_outcomes(Page& page, const View& view) {
  page.heading("Calls and their outcomes");
  page.line("{}", view.outcomes);
  if (view.first_texts.empty()) return;
  page.gap();
  for (const FirstText& first : view.first_texts) {
    page.line("- {}, {}: {} {}{}", markdown_text(first.scenario), markdown_text(first.method),
              first.calls, first.outcome,
              first.text.empty() ? "" : fmt::format("; first: {}", markdown_code(first.text)));
  }
}

void add_facts(Page& page, const std::string& title, const std::vector<Fact>& facts) {
  if (facts.empty()) return;
  page.heading(title);
  page.line("| | |");
  page.line("| --- | --- |");
  for (const Fact& fact : facts)
    page.line("| {} | {} |", fact.name, markdown_text(fact.value, kLongestFact));
}

/// Longer than any run of backticks within, so that the block cannot be closed from inside.
std::string fence_for(const std::string& text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

void add_reproducing(Page& page, const View& view) {
  page.heading("Reproducing");
  if (!view.commands.empty()) {
    page.line("The server was started like this:");
    page.gap();
    for (const Command& command : view.commands)
      page.line("- {}: {}", markdown_text(command.label), markdown_code(command.words));
    page.gap();
  }
  if (!view.plan_toml.empty()) {
    const std::string fence = fence_for(view.plan_toml);
    page.line(
        "This plan, kept as `plan.toml` and with whatever reads `***` filled in again, asks for "
        "the "
        "same run by `weighbridge run plan.toml`:");
    page.gap();
    page.line("{}toml", fence);
    page.line("{}", view.plan_toml.substr(0, view.plan_toml.find_last_not_of('\n') + 1));
    page.line("{}", fence);
    page.gap();
  }
  page.line("`weighbridge report record.json --format markdown` draws this page again.");
}

}  // namespace

std::string table_markdown(const Table& table) {
  Page page;
  add_table(page, table);
  return page.take();
}

std::string to_markdown(const View& view) {
  Page page;
  page.line("# What {} costs", markdown_text(view.title));
  page.gap();
  if (!view.warning.empty()) {
    page.line("> **{}**", markdown_text(view.warning));
    page.gap();
  }
  page.line("{}", markdown_text(view.weighed));
  page.gap();
  page.line("{}", markdown_text(view.measured));
  if (!view.accuracy.empty()) {
    page.gap();
    page.line("{}", markdown_text(view.accuracy));
  }
  add_table(page, view.memory);
  add_table(page, view.waits);
  add_table(page, view.latency);
  add_doubts(page, view);
  add_outcomes(page, view);
  for (const Table* table :
       {&view.servers, &view.processes, &view.cpu, &view.resources, &view.driver, &view.standins})
    add_table(page, *table);
  add_facts(page, "Settings", view.settings);
  add_facts(page, "Host", view.host);
  add_facts(page, "Build", view.build);
  page.heading("What this does not measure");
  for (const std::string& sentence : view.not_measured) {
    const std::size_t lead = sentence.find('.') + 1;
    page.line("- **{}**{}", markdown_text(sentence.substr(0, lead)),
              lead < sentence.size() ? " " + markdown_text(sentence.substr(lead)) : "");
  }
  add_reproducing(page, view);
  return page.take();
}

}  // namespace weighbridge::report
