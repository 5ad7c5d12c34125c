#include "reference/stdio_pipe.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>

#include "os/fd.h"
#include "os/real_clock.h"

namespace weighbridge::reference {
namespace {

struct Pipe {
  os::Fd read;
  os::Fd write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  return {os::Fd(ends[0]), os::Fd(ends[1])};
}

void put(int fd, std::string_view text) {
  ASSERT_EQ(::write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

class StdioPipeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);
    auto poller = os::Poller::create();
    ASSERT_TRUE(poller);
    poller_ = std::move(*poller);
  }
  void start(int in, int out) {
    pipe_ = std::make_unique<StdioPipe>(*poller_, in, out);
    ASSERT_TRUE(pipe_->start([this](std::string_view line) { lines_.emplace_back(line); },
                             [this] { ++ends_; }));
  }
  void run_until_lines(std::size_t count) {
    poller_->run_until([&] { return lines_.size() >= count; }, os::now() + 10s);
  }
  void run_until_end() {
    poller_->run_until([&] { return ends_ > 0; }, os::now() + 10s);
  }

  Pipe in_ = make_pipe();
  Pipe out_ = make_pipe();
  std::unique_ptr<os::Poller> poller_;
  std::unique_ptr<StdioPipe> pipe_;
  std::vector<std::string> lines_;
  int ends_ = 0;
};

TEST_F(StdioPipeTest, ReadsLinesHoweverTheyArrive) {
  start(in_.read.get(), out_.write.get());
  put(in_.write.get(), "one\n\r\ntw");
  run_until_lines(1);
  put(in_.write.get(), "o\r\nthree\n");
  run_until_lines(3);
  EXPECT_EQ(lines_, (std::vector<std::string>{"one", "two", "three"}));
}

TEST_F(StdioPipeTest, ReadsALineOfMegabytes) {
  start(in_.read.get(), out_.write.get());
  const std::string long_line(3'000'000, 'x');
  // A pipe holds 64 KiB, so the writer must be another process or thread.
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    for (std::size_t at = 0; at < long_line.size();)
      at += static_cast<std::size_t>(
          ::write(in_.write.get(), long_line.data() + at, long_line.size() - at));
    [[maybe_unused]] const auto written = ::write(in_.write.get(), "\n", 1);
    ::_exit(0);
  }
  run_until_lines(1);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_[0].size(), long_line.size());
}

TEST_F(StdioPipeTest, TakesALastLineWithoutItsNewline) {
  start(in_.read.get(), out_.write.get());
  put(in_.write.get(), "last");
  in_.write.reset();
  run_until_end();
  EXPECT_EQ(lines_, std::vector<std::string>{"last"});
  EXPECT_EQ(ends_, 1);
}

TEST_F(StdioPipeTest, WritesAfterTheInputHasEnded) {
  start(in_.read.get(), out_.write.get());
  in_.write.reset();
  run_until_end();
  pipe_->send(std::string("late"));
  std::array<char, 16> buffer{};
  EXPECT_EQ(::read(out_.read.get(), buffer.data(), buffer.size()), 5);
  EXPECT_EQ(std::string_view(buffer.data(), 5), "late\n");
}

TEST_F(StdioPipeTest, QueuesWhatTheReaderDoesNotTakeYetWithoutCopyingIt) {
  start(in_.read.get(), out_.write.get());
  const auto shared = std::make_shared<const std::string>(1'000'000, 'y');
  transport::Body body(std::string("["));
  body.add(shared).add(std::string("]"));
  pipe_->send(body);
  EXPECT_FALSE(pipe_->drained());
  EXPECT_GE(shared.use_count(), 3);  // here, in `body`, and queued
  std::string read;
  std::vector<char> buffer(100'000);
  while (read.size() < 1'000'003) {
    poller_->run_once(os::now() + 10ms);
    const auto count = ::read(out_.read.get(), buffer.data(), buffer.size());
    ASSERT_GT(count, 0);
    read.append(buffer.data(), static_cast<std::size_t>(count));
  }
  EXPECT_EQ(read, "[" + *shared + "]\n");
  EXPECT_TRUE(pipe_->drained());
}

TEST_F(StdioPipeTest, StopsAskingAClientThatDoesNotRead) {
  start(in_.read.get(), out_.write.get());
  const auto shared = std::make_shared<const std::string>(20'000'000, 'y');
  put(in_.write.get(), "one\n");
  run_until_lines(1);
  transport::Body body;
  body.add(shared);
  pipe_->send(body);
  put(in_.write.get(), "two\n");
  run_until_lines(2);  // read in the round that noticed
  put(in_.write.get(), "three\n");
  poller_->run_until([&] { return lines_.size() > 2; }, os::now() + 100ms);
  EXPECT_EQ(lines_.size(), 2U);
}

TEST_F(StdioPipeTest, EndsWhenNobodyReadsItsAnswers) {
  start(in_.read.get(), out_.write.get());
  out_.read.reset();
  pipe_->send(std::string("unheard"));
  EXPECT_TRUE(pipe_->broken());
  EXPECT_TRUE(pipe_->drained());
  EXPECT_EQ(ends_, 1);
}

TEST_F(StdioPipeTest, SpeaksOverOneSocketBothWays) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const os::Fd ours(ends[0]);
  const os::Fd theirs(ends[1]);
  const os::Fd duplicate(::dup(ours.get()));
  start(ours.get(), duplicate.get());
  put(theirs.get(), "hello\n");
  run_until_lines(1);
  pipe_->send(std::string("world"));
  std::array<char, 16> buffer{};
  EXPECT_EQ(::read(theirs.get(), buffer.data(), buffer.size()), 6);
  // A socket that others share is not made non-blocking under them.
  EXPECT_EQ(::fcntl(ours.get(), F_GETFL) & O_NONBLOCK, 0);
  pipe_.reset();
}

TEST_F(StdioPipeTest, ReadsAFile) {
  const auto path = ::testing::TempDir() + "weighbridge_stdio_pipe.txt";
  const os::Fd file(::open(path.c_str(), O_CREAT | O_RDWR | O_TRUNC, 0600));
  ASSERT_TRUE(file.valid());
  put(file.get(), "a\nb\n");
  ::lseek(file.get(), 0, SEEK_SET);
  start(file.get(), out_.write.get());
  run_until_end();
  EXPECT_EQ(lines_, (std::vector<std::string>{"a", "b"}));
  std::remove(path.c_str());
}

TEST_F(StdioPipeTest, SaysSoWhenThereIsNothingToReadFrom) {
  StdioPipe pipe(*poller_, 999, out_.write.get());
  EXPECT_FALSE(pipe.start([](std::string_view) {}, [] {}));
}

}  // namespace
}  // namespace weighbridge::reference
