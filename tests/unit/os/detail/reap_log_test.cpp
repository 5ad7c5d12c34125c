#include "os/detail/reap_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "os/real_clock.h"

namespace weighbridge::os::detail {
namespace {

TEST(ReapLog, KeepsEveryFieldOfARecord) {
  ReapLog log = ReapLog::create().value();
  const ExitedChild child{.pid = 42,
                          .wait_status = 7 << 8,
                          .user = 123'456us,
                          .system = 7us,
                          .max_resident_kib = 1088,
                          .orphan = true,
                          .at = Instant(5s)};
  log.begin();
  log.commit(&child);
  ASSERT_EQ(log.size(), 1U);
  const ExitedChild read = log.at(0);
  EXPECT_EQ(read.pid, child.pid);
  EXPECT_EQ(read.wait_status, child.wait_status);
  EXPECT_EQ(read.user, child.user);
  EXPECT_EQ(read.system, child.system);
  EXPECT_EQ(read.max_resident_kib, child.max_resident_kib);
  EXPECT_EQ(read.orphan, child.orphan);
  EXPECT_EQ(read.at, child.at);
}

TEST(ReapLog, GenerationIsOddWhileAProcessVanishes) {
  ReapLog log = ReapLog::create().value();
  EXPECT_EQ(log.generation(), 0U);
  log.begin();
  EXPECT_EQ(log.generation(), 1U);
  log.commit(nullptr);
  EXPECT_EQ(log.generation(), 2U);
  EXPECT_EQ(log.size(), 0U);
}

TEST(ReapLog, IsReadByAnotherProcessAndWakesIt) {
  ReapLog reader = ReapLog::create().value();
  const pid_t writer = ::fork();
  if (writer == 0) {
    ReapLog log = ReapLog::open(Fd(::dup(reader.fd()))).value();
    std::this_thread::sleep_for(10ms);
    for (int pid = 1; pid <= 1000; ++pid) {
      const ExitedChild child{.pid = pid, .user = Duration(pid), .at = Instant{}};
      log.begin();
      log.commit(&child);
    }
    ::_exit(0);
  }
  const Instant deadline = now() + 30s;
  while (reader.size() < 1000 && now() < deadline) {
    const auto generation = reader.generation();
    if (reader.size() < 1000) reader.wait_for_change(generation, deadline);
  }
  ::waitpid(writer, nullptr, 0);
  ASSERT_EQ(reader.size(), 1000U);
  for (std::size_t i = 0; i < reader.size(); ++i) {
    EXPECT_EQ(reader.at(i).pid, static_cast<pid_t>(i + 1));
    EXPECT_EQ(reader.at(i).user, Duration(i + 1));
  }
}

TEST(ReapLog, WaitingEndsAtTheDeadline) {
  const ReapLog log = ReapLog::create().value();
  const Instant deadline = now() + 10ms;
  log.wait_for_change(log.generation(), deadline);
  EXPECT_GE(now(), deadline);
}

TEST(ReapLog, WhatIsNoLogIsRefused) {
  EXPECT_FALSE(ReapLog::open(Fd()));
}

}  // namespace
}  // namespace weighbridge::os::detail
