#include "os/poller.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "os/real_clock.h"

namespace weighbridge::os {
namespace {

struct Call final : Poller::Handler {
  std::function<void(std::uint32_t)> call;
  void on_ready(std::uint32_t events) override { call(events); }
};

struct Pipe {
  Fd read;
  Fd write;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) std::abort();
    read = Fd(ends[0]);
    write = Fd(ends[1]);
  }
  void fill() const { ASSERT_EQ(::write(write.get(), "x", 1), 1); }
  void drain() const {
    char byte = 0;
    ASSERT_EQ(::read(read.get(), &byte, 1), 1);
  }
};

class PollerTest : public testing::Test {
 protected:
  std::unique_ptr<Poller> poller = Poller::create().value();
};

TEST_F(PollerTest, TellsAHandlerAgainUntilItHasRead) {
  const Pipe pipe;
  int calls = 0;
  Call handler;
  handler.call = [&](std::uint32_t events) {
    EXPECT_NE(events & EPOLLIN, 0U);
    if (++calls == 2) pipe.drain();
  };
  ASSERT_TRUE(poller->add(pipe.read.get(), EPOLLIN, handler));
  pipe.fill();
  for (int round = 0; round < 4; ++round) poller->run_once(now());
  EXPECT_EQ(calls, 2);
}

TEST_F(PollerTest, WatchesWhatItWasChangedTo) {
  const Pipe pipe;
  int calls = 0;
  Call handler;
  handler.call = [&](std::uint32_t) { ++calls; };
  ASSERT_TRUE(poller->add(pipe.write.get(), 0, handler));
  poller->run_once(now());
  EXPECT_EQ(calls, 0);
  ASSERT_TRUE(poller->change(pipe.write.get(), EPOLLOUT));
  poller->run_once(now());
  EXPECT_EQ(calls, 1);
}

TEST_F(PollerTest, ChangingAnUnknownDescriptorIsAnError) {
  EXPECT_FALSE(poller->change(12345, EPOLLIN));
  Call handler;
  EXPECT_FALSE(poller->add(12345, EPOLLIN, handler));
  poller->remove(12345);
}

TEST_F(PollerTest, AHandlerMayRemoveItselfAndAnotherWhoseEventIsAlreadyFetched) {
  const Pipe first;
  const Pipe second;
  int calls = 0;
  Call handler;
  handler.call = [&](std::uint32_t) {
    ++calls;
    poller->remove(first.read.get());
    poller->remove(second.read.get());
  };
  ASSERT_TRUE(poller->add(first.read.get(), EPOLLIN, handler));
  ASSERT_TRUE(poller->add(second.read.get(), EPOLLIN, handler));
  first.fill();
  second.fill();
  poller->run_once(now());
  poller->run_once(now());
  EXPECT_EQ(calls, 1);
}

TEST_F(PollerTest, ADescriptorNumberUsedAgainInTheSameRoundDoesNotInheritTheOldEvent) {
  Pipe first;
  Pipe second;
  const Pipe third;
  int stale_calls = 0;
  Call newcomer;
  newcomer.call = [&](std::uint32_t) { ++stale_calls; };
  Call handler;
  bool replaced = false;
  handler.call = [&](std::uint32_t) {
    if (replaced) return;
    replaced = true;
    for (Pipe* pipe : {&first, &second}) {
      const int number = pipe->read.get();
      poller->remove(number);
      // The number now stands for an empty pipe.
      ASSERT_EQ(::dup3(third.read.get(), number, O_CLOEXEC), number);
      ASSERT_TRUE(poller->add(number, EPOLLIN, newcomer));
    }
  };
  ASSERT_TRUE(poller->add(first.read.get(), EPOLLIN, handler));
  ASSERT_TRUE(poller->add(second.read.get(), EPOLLIN, handler));
  first.fill();
  second.fill();
  poller->run_once(now());
  EXPECT_TRUE(replaced);
  EXPECT_EQ(stale_calls, 0);
}

TEST_F(PollerTest, AHandlerMayRunTheLoopItself) {
  const Pipe outer;
  const Pipe inner;
  std::string order;
  Call inner_handler;
  inner_handler.call = [&](std::uint32_t) {
    order += 'i';
    inner.drain();
    poller->remove(inner.read.get());
  };
  Call outer_handler;
  outer_handler.call = [&](std::uint32_t) {
    order += 'o';
    outer.drain();
    inner.fill();
    poller->run_once(now() + 10s);
  };
  ASSERT_TRUE(poller->add(outer.read.get(), EPOLLIN, outer_handler));
  ASSERT_TRUE(poller->add(inner.read.get(), EPOLLIN, inner_handler));
  outer.fill();
  poller->run_once(now() + 10s);
  EXPECT_EQ(order, "oi");
}

TEST_F(PollerTest, RunsTimersInTheOrderOfTheirInstants) {
  std::string order;
  const Instant start = now();
  poller->at(start + 2ms, [&] { order += 'b'; });
  poller->at(start + 1ms, [&] { order += 'a'; });
  poller->at(start + 3ms, [&] { order += 'c'; });
  EXPECT_TRUE(poller->run_until([&] { return order.size() == 3; }, start + 30s));
  EXPECT_EQ(order, "abc");
}

TEST_F(PollerTest, NeverRunsATimerEarly) {
  const Instant due = now() + 5ms;
  Instant ran{};
  poller->at(due, [&] { ran = now(); });
  EXPECT_TRUE(poller->run_until([&] { return ran != Instant{}; }, due + 30s));
  EXPECT_GE(ran, due);
}

TEST_F(PollerTest, ACancelledTimerDoesNotRun) {
  bool ran = false;
  const auto timer = poller->at(now(), [&] { ran = true; });
  poller->cancel(timer);
  poller->cancel(timer);
  poller->run_once(now());
  EXPECT_FALSE(ran);
}

TEST_F(PollerTest, ATimerMayCancelTheNextOneThatIsDue) {
  bool ran = false;
  Poller::TimerId second = 0;
  poller->at(now() - 2ms, [&] { poller->cancel(second); });
  second = poller->at(now() - 1ms, [&] { ran = true; });
  poller->run_once(now());
  EXPECT_FALSE(ran);
}

TEST_F(PollerTest, ATimerThatSetsItselfAnewDoesNotHoldTheRound) {
  int ticks = 0;
  std::function<void()> tick = [&] {
    ++ticks;
    poller->at(now(), tick);
  };
  poller->at(now(), tick);
  poller->run_once(now());
  EXPECT_EQ(ticks, 1);
  poller->run_once(now());
  EXPECT_EQ(ticks, 2);
}

TEST_F(PollerTest, PostedTasksRunOnTheLoopsThreadInOrder) {
  std::vector<int> seen;
  std::thread::id ran_on;
  std::thread other([&] {
    for (int i = 0; i < 100; ++i)
      poller->post([&, i] {
        seen.push_back(i);
        ran_on = std::this_thread::get_id();
      });
  });
  EXPECT_TRUE(poller->run_until([&] { return seen.size() == 100; }, now() + 30s));
  other.join();
  EXPECT_EQ(ran_on, std::this_thread::get_id());
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST_F(PollerTest, StopFromAnotherThreadEndsRun) {
  std::thread other([&] { poller->stop(); });
  poller->run();
  other.join();
  // And only that run: the next one waits for its own stop.
  bool ran = false;
  poller->at(now() + 1ms, [&] {
    ran = true;
    poller->stop();
  });
  poller->run();
  EXPECT_TRUE(ran);
}

TEST_F(PollerTest, RunUntilGivesUpAtTheDeadline) {
  const Instant start = now();
  EXPECT_FALSE(poller->run_until([] { return false; }, start + 5ms));
  EXPECT_GE(now(), start + 5ms);
}

TEST_F(PollerTest, SetsTheTimerSlackOfItsThreadToOneNanosecond) {
  std::thread loop([&] {
    ASSERT_EQ(::prctl(PR_SET_TIMERSLACK, 50'000UL), 0);
    poller->run_once(now());
    EXPECT_EQ(::prctl(PR_GET_TIMERSLACK), 1);
  });
  loop.join();
}

}  // namespace
}  // namespace weighbridge::os
