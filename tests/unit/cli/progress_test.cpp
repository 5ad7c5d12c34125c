#include "cli/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace weighbridge::cli {
namespace {

modes::Progress in_the_middle() {
  modes::Progress progress;
  progress.scenario = "http-dynamic";
  progress.step = 3;
  progress.steps = 9;
  progress.phase = "load";
  progress.elapsed = 72s;
  progress.remaining = 140s;
  progress.resident_mib = 118.4;
  progress.cpu_percent = 974;
  progress.calls = 1234;
  return progress;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

const Screen kTerminal{.terminal = true, .colour = false, .width = 80};
const Screen kFile{};

TEST(Progress, SaysWhereTheRunStandsAndWhatItSees) {
  EXPECT_EQ(progress_block(in_the_middle(), 80),
            (std::vector<std::string>{"[3/9] http-dynamic: load, 1 min 12 s, about 2 min 20 s left",
                                      "resident 118 MiB, CPU 974 %, 1234 calls"}));
}

TEST(Progress, FiguresThatAreNotThereAreNotInvented) {
  modes::Progress progress;
  progress.scenario = "stdio";
  progress.phase = "scout";
  EXPECT_EQ(progress_block(progress, 80), std::vector<std::string>{"stdio: scout"});
  progress.phase.clear();
  EXPECT_EQ(progress_block(progress, 80), std::vector<std::string>{"stdio"});
}

TEST(Progress, NoLineWraps) {
  modes::Progress progress = in_the_middle();
  progress.scenario = std::string(300, 'x');
  for (const std::string& line : progress_block(progress, 40)) EXPECT_LT(line.size(), 43U);
}

TEST(Progress, TimesAreSpokenShortly) {
  EXPECT_EQ(spoken(0s), "0 s");
  EXPECT_EQ(spoken(59'900ms), "59 s");
  EXPECT_EQ(spoken(65s), "1 min 05 s");
  EXPECT_EQ(spoken(3720s), "1 h 02 min");
}

TEST(Progress, IsRedrawnAtMostTenTimesASecond) {
  std::ostringstream stream;
  ManualClock clock;
  ProgressDisplay display(stream, kTerminal, clock);
  modes::Progress progress = in_the_middle();
  for (int i = 0; i < 100; ++i) {
    display.show(progress);
    clock.advance(10ms);
  }
  EXPECT_EQ(count(stream.str(), "[3/9]"), 10U);
}

TEST(Progress, ANewPhaseIsShownAtOnce) {
  std::ostringstream stream;
  ManualClock clock;
  ProgressDisplay display(stream, kTerminal, clock);
  modes::Progress progress = in_the_middle();
  display.show(progress);
  progress.phase = "after";
  display.show(progress);
  EXPECT_EQ(count(stream.str(), "after"), 1U);
}

TEST(Progress, TheBlockIsTakenAwayByAsManyLinesAsWereDrawn) {
  std::ostringstream stream;
  ManualClock clock;
  ProgressDisplay display(stream, kTerminal, clock);
  display.show(in_the_middle());
  display.clear();
  EXPECT_TRUE(stream.str().ends_with("\x1b[2A\r\x1b[J"));
  display.clear();
  EXPECT_EQ(count(stream.str(), "\x1b[J"), 1U);
}

TEST(Progress, ANoteStaysAboveTheBlock) {
  std::ostringstream stream;
  ManualClock clock;
  ProgressDisplay display(stream, kTerminal, clock);
  display.show(in_the_middle());
  display.note("stdio: notes 1.0");
  EXPECT_TRUE(stream.str().ends_with("\x1b[2A\r\x1b[Jstdio: notes 1.0\n"));
}

TEST(Progress, ALogGetsOneLineForEachStep) {
  std::ostringstream stream;
  ManualClock clock;
  ProgressDisplay display(stream, kFile, clock);
  modes::Progress before;
  before.scenario = "http-dynamic";
  before.phase = "scout";
  display.show(before);
  modes::Progress progress = in_the_middle();
  for (const char* phase : {"start", "ramp", "load"}) {
    progress.phase = phase;
    display.show(progress);
    clock.advance(1s);
  }
  progress.step = 4;
  display.show(progress);
  display.clear();
  EXPECT_EQ(stream.str(), "http-dynamic: scout\n[3/9] http-dynamic\n[4/9] http-dynamic\n");
}

TEST(Progress, ColourIsUsedOnlyWhereItIsWanted) {
  ManualClock clock;
  std::ostringstream plain;
  ProgressDisplay(plain, kTerminal, clock).show(in_the_middle());
  EXPECT_EQ(plain.str().find("\x1b[2m"), std::string::npos);
  std::ostringstream coloured;
  ProgressDisplay(coloured, {.terminal = true, .colour = true, .width = 80}, clock)
      .show(in_the_middle());
  EXPECT_NE(coloured.str().find("\x1b[2m"), std::string::npos);
}

}  // namespace
}  // namespace weighbridge::cli
