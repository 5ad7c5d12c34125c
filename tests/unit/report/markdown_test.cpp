#include "report/markdown.h"

#include <gtest/gtest.h>

#include "base/words.h"
#include "example_record.h"
#include "golden.h"

namespace weighbridge::report {
namespace {

std::string page_of(const record::Record& run) {
  return to_markdown(view_of(run));
}

TEST(Markdown, DrawsAWholeRunAsApproved) {
  expect_golden("whole.md", page_of(whole_record()));
}

TEST(Markdown, DrawsAnInterruptedRunAsApproved) {
  expect_golden("interrupted.md", page_of(interrupted_record()));
}

TEST(Markdown, DrawsAQuickRunAsApproved) {
  expect_golden("quick.md", page_of(quick_record()));
}

TEST(Markdown, TheSameRecordDrawsTheSameBytes) {
  EXPECT_EQ(page_of(whole_record()), page_of(whole_record()));
}

TEST(Markdown, AnInterruptedRunSaysSoBeforeAnyFigure) {
  const std::string page = page_of(interrupted_record());
  EXPECT_LT(page.find("This run was interrupted"), page.find("Measured on"));
}

TEST(Markdown, EveryTableRowHasAsManyCellsAsItsHead) {
  std::size_t expected = 0;
  for (const std::string& line : split(page_of(whole_record()), '\n')) {
    if (!line.starts_with('|')) {
      expected = 0;
      continue;
    }
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i)
      if (line[i] == '|' && (i == 0 || line[i - 1] != '\\')) ++bars;
    if (expected == 0) expected = bars;
    EXPECT_EQ(bars, expected) << line;
  }
}

TEST(Markdown, AServersWordsStayWords) {
  const std::string page = page_of(whole_record());
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_NE(page.find("\\*setuid\\*"), std::string::npos);
  record::Record run = whole_record();
  for (record::Server& server : run.servers) server.name = "<script>|alert()";
  EXPECT_EQ(page_of(run).find("<script>"), std::string::npos);
  EXPECT_NE(page_of(run).find("&lt;script&gt;\\|alert()"), std::string::npos);
}

TEST(Markdown, APlanCannotCloseItsOwnBlock) {
  record::Record run = whole_record();
  run.plan_toml = "name = '''\n```\n# escaped\n'''\n";
  EXPECT_NE(page_of(run).find("````toml\n"), std::string::npos);
}

}  // namespace
}  // namespace weighbridge::report
