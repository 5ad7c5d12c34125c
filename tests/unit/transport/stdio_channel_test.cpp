#include "transport/stdio_channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>

#include "os/network.h"
#include "os/real_clock.h"
#include "support.h"

namespace weighbridge::transport {
namespace {

using testing::Loop;

/// The child's two ends, driven by hand; non-blocking.
class ChildEnds {
 public:
  ChildEnds(os::Fd input, os::Fd output) : input_(std::move(input)), output_(std::move(output)) {
    for (const int fd : {input_.get(), output_.get()})
      ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  }
  std::string read_available() {
    std::string text;
    char buffer[65536];
    while (true) {
      const ssize_t count = ::read(input_.get(), buffer, sizeof buffer);
      if (count == 0) input_ended = true;
      if (count <= 0) return text;
      text.append(buffer, static_cast<std::size_t>(count));
    }
  }
  /// How much was taken.
  std::size_t write_some(std::string_view text) {
    const ssize_t count = ::write(output_.get(), text.data(), text.size());
    return count < 0 ? 0 : static_cast<std::size_t>(count);
  }
  void close_input() { input_.reset(); }
  void close_output() { output_.reset(); }
  bool input_ended = false;

 private:
  os::Fd input_;
  os::Fd output_;
};

class Stdio : public ::testing::TestWithParam<os::StdioKind> {
 protected:
  Stdio() {
    auto pair = os::make_stdio(GetParam()).value();
    child.emplace(std::move(pair.child_stdin), std::move(pair.child_stdout));
    channel.emplace(loop.poller(), std::move(pair.parent_write), std::move(pair.parent_read));
    listen();
  }

  void listen() {
    channel->on_line([this](std::string_view line, Instant first_byte, Instant done) {
      EXPECT_LE(first_byte, done);
      lines.emplace_back(line);
      times.emplace_back(first_byte, done);
      if (then) then();
    });
    channel->on_closed([this](const Error& why) {
      EXPECT_FALSE(closed) << "told once";
      closed = why;
    });
  }
  void child_writes(std::string_view text) {
    while (!text.empty()) {
      text.remove_prefix(child->write_some(text));
      loop.poller().run_once(os::now());
    }
    loop.settle();
  }

  Loop loop;
  std::optional<ChildEnds> child;
  std::optional<StdioChannel> channel;
  std::vector<std::string> lines;
  std::vector<std::pair<Instant, Instant>> times;
  std::optional<Error> closed;
  std::function<void()> then;
};

INSTANTIATE_TEST_SUITE_P(, Stdio, ::testing::Values(os::StdioKind::socketpair, os::StdioKind::pipe),
                         [](const auto& kind) {
                           return kind.param == os::StdioKind::pipe ? "OverPipes"
                                                                    : "OverSocketpairs";
                         });

using Lines = std::vector<std::string>;

TEST_P(Stdio, FramesMessagesByNewlines) {
  channel->send(R"({"id":1})");
  channel->send(R"({"id":2})");
  EXPECT_EQ(child->read_available(), "{\"id\":1}\n{\"id\":2}\n");
  EXPECT_EQ(channel->bytes_written(), 18U);
  child_writes("{\"a\":1}\n{\"b\":2}\n");
  EXPECT_EQ(lines, (Lines{R"({"a":1})", R"({"b":2})"}));
  EXPECT_EQ(channel->bytes_read(), 16U);
}

TEST_P(Stdio, ReturnsTheInstantBeforeTheWrite) {
  const Instant before = os::now();
  const Instant sent = channel->send("x");
  EXPECT_LE(before, sent);
  EXPECT_LE(sent, os::now());
}

TEST_P(Stdio, ToleratesCrAndBlankLines) {
  child_writes("\n\r\n{\"a\":1}\r\n\n\n{\"b\":2}\n\r\n");
  EXPECT_EQ(lines, (Lines{R"({"a":1})", R"({"b":2})"}));
}

TEST_P(Stdio, ReadsALineSplitAnywhere) {
  const std::string text = "{\"a\":1}\r\n\n{\"b\":2}\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    lines.clear();
    child_writes(text.substr(0, cut));
    child_writes(text.substr(cut));
    EXPECT_EQ(lines, (Lines{R"({"a":1})", R"({"b":2})"})) << cut;
  }
}

TEST_P(Stdio, TellsWhenALineBeganAndWhenItEnded) {
  child_writes("begun");
  const Instant between = os::now();
  child_writes("-goes-on");
  child_writes("-ended\nnext\n");
  ASSERT_EQ(times.size(), 2U);
  EXPECT_LT(times[0].first, between);
  EXPECT_GT(times[0].second, between);
  EXPECT_GT(times[1].first, between) << "the next line's first byte came with the second read";
}

TEST_P(Stdio, ReadsLinesOfMegabytes) {
  const std::string listing(3'300'000, 'x');
  child_writes(listing + "\nshort\n" + listing + "\r\n");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], listing);
  EXPECT_EQ(lines[1], "short");
  EXPECT_EQ(lines[2], listing);
}

TEST_P(Stdio, AWriteThatTheChildDoesNotReadIsQueuedInOrder) {
  const std::string big(5'000'000, 'x');
  channel->send(big);
  channel->send("second");
  channel->send("third");
  EXPECT_LT(channel->bytes_written(), big.size()) << "and does not block";
  std::string taken;
  ASSERT_TRUE(loop.until([&] {
    taken += child->read_available();
    return taken.ends_with("third\n");
  }));
  EXPECT_EQ(taken, big + "\nsecond\nthird\n");
  channel->send("fourth");
  EXPECT_EQ(child->read_available(), "fourth\n") << "then writes go out at once again";
}

TEST_P(Stdio, CloseWriteEndsTheChildsInputAndKeepsReading) {
  channel->send("last");
  channel->close_write();
  EXPECT_EQ(child->read_available(), "last\n");
  EXPECT_TRUE(child->input_ended);
  channel->send("too late");
  child_writes("answer\n");
  EXPECT_EQ(lines, Lines{"answer"});
  EXPECT_FALSE(closed);
}

TEST_P(Stdio, CloseWriteWaitsForWhatIsQueued) {
  const std::string big(5'000'000, 'x');
  channel->send(big);
  channel->close_write();
  std::string taken;
  ASSERT_TRUE(loop.until([&] {
    taken += child->read_available();
    return child->input_ended;
  }));
  EXPECT_EQ(taken, big + "\n");
}

TEST_P(Stdio, SaysThatTheChildClosedItsOutput) {
  child->write_some("last words\n");
  child->close_output();
  ASSERT_TRUE(loop.until([&] { return closed.has_value(); }));
  EXPECT_EQ(lines, Lines{"last words"}) << "what was written before is heard first";
  EXPECT_EQ(closed->code, ErrorCode::closed);
  EXPECT_EQ(closed->what, "the child closed its output");
  channel->send("to nobody");
  loop.settle();
}

TEST_P(Stdio, SaysThatTheChildEndedAmidALine) {
  child->write_some("{\"trunc");
  child->close_output();
  ASSERT_TRUE(loop.until([&] { return closed.has_value(); }));
  EXPECT_TRUE(lines.empty());
  EXPECT_NE(closed->what.find("in the middle of a line, after 7 bytes"), std::string::npos)
      << closed->what;
}

TEST_P(Stdio, AChildThatNoLongerReadsIsHeardOutFirst) {
  child->write_some("answer\n");
  child->close_input();
  channel->send("to nobody");
  EXPECT_FALSE(closed) << "not from within send()";
  ASSERT_TRUE(loop.until([&] { return closed.has_value(); }));
  EXPECT_EQ(lines, Lines{"answer"});
  EXPECT_EQ(closed->code, ErrorCode::closed);
  EXPECT_EQ(closed->what, "the child no longer reads its input");
}

TEST_P(Stdio, AChildThatDiesWithBytesUnreadIsClosed) {
  channel->send("never read");
  child.reset();
  ASSERT_TRUE(loop.until([&] { return closed.has_value(); }));
  EXPECT_EQ(closed->code, ErrorCode::closed);
}

TEST_P(Stdio, DestroyingTheChannelEndsTheChildsInput) {
  channel.reset();
  child->read_available();
  EXPECT_TRUE(child->input_ended);
}

TEST_P(Stdio, AHandlerMayDestroyTheChannelAtALine) {
  then = [&] { channel.reset(); };
  child_writes("one\ntwo\n");
  EXPECT_EQ(lines, Lines{"one"});
  EXPECT_FALSE(closed);
}

TEST_P(Stdio, AHandlerMayDestroyTheChannelAtItsEnd) {
  channel->on_closed([&](const Error&) { channel.reset(); });
  child->close_output();
  EXPECT_TRUE(loop.until([&] { return !channel; }));
}

TEST_P(Stdio, AHandlerMayReplaceItself) {
  std::string second;
  then = [&] { channel->on_line([&](std::string_view line, Instant, Instant) { second = line; }); };
  child_writes("one\ntwo\n");
  EXPECT_EQ(lines, Lines{"one"});
  EXPECT_EQ(second, "two");
}

TEST_P(Stdio, AHandlerMaySendFromWithinItsCall) {
  then = [&] { channel->send("reply to " + lines.back()); };
  child_writes("one\ntwo\n");
  EXPECT_EQ(child->read_available(), "reply to one\nreply to two\n");
}

TEST_P(Stdio, NothingIsReadBeforeSomebodyListens) {
  auto pair = os::make_stdio(GetParam()).value();
  ChildEnds other(std::move(pair.child_stdin), std::move(pair.child_stdout));
  StdioChannel quiet(loop.poller(), std::move(pair.parent_write), std::move(pair.parent_read));
  other.write_some("early\n");
  loop.settle();
  std::string heard;
  quiet.on_line([&](std::string_view line, Instant, Instant) { heard = line; });
  ASSERT_TRUE(loop.until([&] { return !heard.empty(); }));
  EXPECT_EQ(heard, "early");
}

TEST(StdioOverOneSocket, HalfClosesThroughADuplicate) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
  Loop loop;
  ChildEnds child(os::Fd(::dup(ends[1])), os::Fd(ends[1]));
  StdioChannel channel(loop.poller(), os::Fd(::dup(ends[0])), os::Fd(ends[0]));
  std::string heard;
  channel.on_line([&](std::string_view line, Instant, Instant) { heard = line; });
  channel.close_write();
  child.read_available();
  EXPECT_TRUE(child.input_ended);
  child.write_some("still here\n");
  ASSERT_TRUE(loop.until([&] { return !heard.empty(); }));
}

}  // namespace
}  // namespace weighbridge::transport
