#include "sampling/socket_counter.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "os/network.h"
#include "os/process_list.h"

namespace weighbridge::sampling {
namespace {

constexpr std::size_t kEstablished = 1;
constexpr std::size_t kListen = 10;

const ProcRoot kNpx{.path = WEIGHBRIDGE_SOURCE_DIR "/tests/fixtures/proc/npx", .live = false};

TEST(SocketCounter, CountsTheSocketsOfACapturedTreeByState) {
  SocketCounter counter(kNpx);
  const auto states = counter.count(std::vector<pid_t>{32360, 32362, 32378, 32379});
  ASSERT_TRUE(states);
  EXPECT_EQ((*states)[kListen], 1U);
  EXPECT_EQ((*states)[kEstablished], 2U);
  EXPECT_EQ((*states)[6], 0U);  // TIME_WAIT belongs to nobody
  EXPECT_TRUE(counter.used_tables());
}

TEST(SocketCounter, LeavesOutTheSocketsOfOthers) {
  SocketCounter counter(kNpx);
  const auto states = counter.count(std::vector<pid_t>{32360, 32362});
  ASSERT_TRUE(states);
  EXPECT_EQ((*states)[kListen], 0U);
  EXPECT_EQ((*states)[kEstablished], 0U);
}

TEST(SocketCounter, FollowsSocketsAsTheyComeAndGo) {
  SocketCounter counter({});
  const std::vector<pid_t> self{::getpid()};
  const auto before = counter.count(self);
  ASSERT_TRUE(before);
  auto listener = os::listen_tcp("127.0.0.1", 0);
  const auto port = os::local_port(listener->get()).value();
  auto client = os::connect_tcp("127.0.0.1", port);
  const os::Fd server(::accept4(listener->get(), nullptr, nullptr, SOCK_CLOEXEC));
  for (int tries = 0; tries < 1000 && counter.count(self) == before; ++tries) ::usleep(1000);
  const auto during = counter.count(self);
  EXPECT_EQ((*during)[kListen], (*before)[kListen] + 1);
  EXPECT_EQ((*during)[kEstablished], (*before)[kEstablished] + 2);
  client->reset();
  listener->reset();
  const auto after = counter.count(self);
  EXPECT_EQ((*after)[kListen], (*before)[kListen]);
  EXPECT_EQ((*after)[8], (*before)[8] + 1);  // CLOSE_WAIT: the client has gone, the server not yet
}

TEST(SocketCounter, CountsSocketsOfIpv6Too) {
  auto listener = os::listen_tcp("::1", 0);
  if (!listener) GTEST_SKIP() << "no IPv6 loopback here";
  SocketCounter counter({});
  const auto states = counter.count(std::vector<pid_t>{::getpid()});
  ASSERT_TRUE(states);
  EXPECT_GE((*states)[kListen], 1U);
}

TEST(SocketTable, TheDumpAndTheTablesOfProcAgree) {
  const auto first = os::listen_tcp("127.0.0.1", 0);
  const auto second = os::listen_tcp("127.0.0.1", 0);
  SocketTable by_dump({});
  SocketTable by_tables({.path = "/proc", .live = false});
  const auto listening = [](const std::vector<TcpSocket>& sockets) {
    std::vector<std::uint64_t> inodes;
    for (const TcpSocket& socket : sockets)
      if (socket.state == kListen) inodes.push_back(socket.inode);
    std::sort(inodes.begin(), inodes.end());
    return inodes;
  };
  // Others on this machine may begin to listen between the two.
  for (int tries = 0; tries < 100; ++tries) {
    const auto dumped = by_dump.read(::getpid());
    const auto tabled = by_tables.read(::getpid());
    ASSERT_TRUE(dumped && tabled);
    EXPECT_GE(listening(*dumped).size(), 2U);
    if (listening(*dumped) == listening(*tabled)) {
      if (by_dump.used_tables()) GTEST_SKIP() << "no dump here";
      return;
    }
  }
  FAIL() << "they never agreed";
}

TEST(SocketCounter, NoProcessesHaveNoSockets) {
  SocketCounter counter({});
  EXPECT_EQ(counter.count({}), SocketStates{});
}

}  // namespace
}  // namespace weighbridge::sampling
