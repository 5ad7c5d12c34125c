#include "os/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "os/poller.h"
#include "os/real_clock.h"

namespace weighbridge::os {
namespace {

TEST(Interrupt, SetsTheFlagOnSigintAndOnSigterm) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const InterruptGuard guard;
    EXPECT_FALSE(interrupted());
    ::raise(signal);
    EXPECT_TRUE(interrupted());
  }
}

TEST(Interrupt, ANewGuardBeginsWithAClearFlag) {
  {
    const InterruptGuard guard;
    ::raise(SIGINT);
  }
  const InterruptGuard guard;
  EXPECT_FALSE(interrupted());
}

TEST(Interrupt, IgnoresSignalsOfFailedWritesOnlyWhileItLives) {
  for (const int number : {SIGPIPE, SIGXFSZ}) {
    struct sigaction seen{};
    {
      const InterruptGuard guard;
      ::sigaction(number, nullptr, &seen);
      EXPECT_EQ(seen.sa_handler, SIG_IGN);
    }
    ::sigaction(number, nullptr, &seen);
    EXPECT_EQ(seen.sa_handler, SIG_DFL);
  }
}

TEST(Interrupt, EndsAWaitingRoundWhicheverThreadTheSignalLandsOn) {
  const InterruptGuard guard;
  auto poller = Poller::create();
  ASSERT_TRUE(poller);
  std::thread other([] {
    std::this_thread::sleep_for(20ms);
    ::pthread_kill(::pthread_self(), SIGTERM);
  });
  EXPECT_TRUE((*poller)->run_until([] { return interrupted(); }, now() + 30s));
  other.join();
}

TEST(Interrupt, DoesNotTurnLaterWaitingIntoSpinning) {
  const InterruptGuard guard;
  auto poller = Poller::create();
  ASSERT_TRUE(poller);
  ::raise(SIGINT);
  (*poller)->run_once(now() + 10s);
  int rounds = 0;
  const Instant deadline = now() + 50ms;
  while (now() < deadline) {
    (*poller)->run_once(deadline);
    ++rounds;
  }
  EXPECT_LE(rounds, 3);
}

}  // namespace
}  // namespace weighbridge::os
