#include "report/terminal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/words.h"
#include "example_record.h"
#include "golden.h"
#include "report/text.h"

namespace weighbridge::report {
namespace {

std::string screen_of(const record::Record& run, std::size_t width, bool colour = false) {
  return to_terminal(view_of(run), {.width = width, .colour = colour});
}

TEST(Terminal, DrawsAWholeRunOnAWideScreenAsApproved) {
  expect_golden("whole-wide.txt", screen_of(whole_record(), 200));
}

TEST(Terminal, DrawsAWholeRunOnAnOrdinaryScreenAsApproved) {
  expect_golden("whole.txt", screen_of(whole_record(), 100));
}

TEST(Terminal, DrawsAnInterruptedRunOnANarrowScreenAsApproved) {
  expect_golden("interrupted-narrow.txt", screen_of(interrupted_record(), 72));
}

TEST(Terminal, DrawsAQuickRunAsApproved) {
  expect_golden("quick.txt", screen_of(quick_record(), 100));
}

TEST(Terminal, KeepsWithinTheWidth) {
  for (const std::size_t width : {80U, 100U, 140U, 200U}) {
    for (const std::string& line : split(screen_of(whole_record(), width), '\n'))
      EXPECT_LE(display_width(line), width) << line;
  }
}

TEST(Terminal, NamesTheColumnsThatItLeavesOut) {
  EXPECT_NE(screen_of(whole_record(), 80).find("No room for: "), std::string::npos);
  EXPECT_EQ(screen_of(whole_record(), 200).find("No room for: "), std::string::npos);
}

TEST(Terminal, ColoursOnlyWhenAsked) {
  EXPECT_EQ(screen_of(whole_record(), 100).find('\x1b'), std::string::npos);
  EXPECT_NE(screen_of(whole_record(), 100, true).find("\x1b[1m"), std::string::npos);
}

TEST(Terminal, ListsEveryDoubtWithWhatIsLost) {
  const std::string screen = screen_of(whole_record(), 200);
  EXPECT_NE(screen.find("! The driver was the bottleneck (driver_limited)"), std::string::npos);
  EXPECT_NE(screen.find("http-dynamic, repeat 3, load: the driver used 84 % of its core"),
            std::string::npos);
  EXPECT_NE(screen.find("Lost: latencies and CPU percentage"), std::string::npos);
}

TEST(Terminal, CountsThePlacesOfADoubtThatItDoesNotShow) {
  record::Record run = whole_record();
  for (int repeat = 1; repeat <= 6; ++repeat)
    run.scenarios[0].repeats[0].doubts.push_back(
        {record::DoubtKind::noisy_host, fmt::format("place {}", repeat), "gaps", "wait"});
  const std::string screen = screen_of(run, 200);
  EXPECT_NE(screen.find("place 3: gaps"), std::string::npos);
  EXPECT_EQ(screen.find("place 4: gaps"), std::string::npos);
  EXPECT_NE(screen.find("and 3 more places"), std::string::npos);
}

}  // namespace
}  // namespace weighbridge::report
