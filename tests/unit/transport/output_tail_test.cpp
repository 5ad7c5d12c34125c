#include "transport/output_tail.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "os/real_clock.h"
#include "support.h"

namespace weighbridge::transport {
namespace {

using testing::Loop;
using Lines = std::vector<std::string>;

class OutputTailTest : public ::testing::Test {
 protected:
  OutputTailTest() {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    child = os::Fd(ends[1]);
    tail.emplace(loop.poller(), os::Fd(ends[0]));
  }
  void write(std::string_view text) {
    while (!text.empty()) {
      const std::string_view piece =
          text.substr(0, 4096);  // fits a pipe that is drained in between
      ASSERT_EQ(::write(child.get(), piece.data(), piece.size()),
                static_cast<ssize_t>(piece.size()));
      text.remove_prefix(piece.size());
      loop.poller().run_once(os::now() + 1ms);
    }
  }

  Loop loop;
  os::Fd child;
  std::optional<OutputTail> tail;
};

TEST_F(OutputTailTest, KeepsWhatAChildSaid) {
  write("starting\r\n\nlistening on 8080\n  \npanic: no");
  EXPECT_EQ(tail->tail(), "starting\r\n\nlistening on 8080\n  \npanic: no");
  EXPECT_EQ(tail->last_lines(10), (Lines{"starting", "listening on 8080", "panic: no"}));
  EXPECT_EQ(tail->last_lines(2), (Lines{"listening on 8080", "panic: no"}));
  EXPECT_EQ(tail->total_bytes(), 41U);
  EXPECT_FALSE(tail->ended());
}

TEST_F(OutputTailTest, DrainsAChildThatTalksForEverAndKeepsTheEnd) {
  std::string all;
  for (int i = 0; i < 20'000; ++i) all += "line " + std::to_string(i) + "\n";
  write(all);
  EXPECT_EQ(tail->total_bytes(), all.size());
  EXPECT_EQ(tail->tail(), all.substr(all.size() - OutputTail::kKeptBytes));
  EXPECT_EQ(tail->last_lines(1), Lines{"line 19999"});
}

TEST_F(OutputTailTest, TheRingIsRightAtEverySize) {
  // Around the size of the ring, where an off-by-one would show.
  std::string all;
  for (int i = 0; i < 300; ++i) {
    const std::string piece(997, static_cast<char>('a' + i % 26));
    all += piece;
    write(piece);
    const std::size_t kept = std::min(all.size(), OutputTail::kKeptBytes);
    ASSERT_EQ(tail->tail(), all.substr(all.size() - kept)) << i;
  }
}

TEST_F(OutputTailTest, NoticesTheEnd) {
  write("bye\n");
  child.reset();
  EXPECT_TRUE(loop.until([&] { return tail->ended(); }));
  EXPECT_EQ(tail->last_lines(1), Lines{"bye"});
}

TEST_F(OutputTailTest, CanBeDrainedWithoutTheLoop) {
  ASSERT_EQ(::write(child.get(), "last words\n", 11), 11);
  child.reset();
  tail->drain();
  EXPECT_EQ(tail->last_lines(1), Lines{"last words"});
  EXPECT_TRUE(tail->ended());
}

TEST_F(OutputTailTest, LeavingEarlyIsFine) {
  tail.reset();
  loop.settle();
}

}  // namespace
}  // namespace weighbridge::transport
