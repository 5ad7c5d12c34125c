#include "os/network.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

namespace weighbridge::os {
namespace {

bool becomes_ready(int fd, short events) {
  pollfd waiting{.fd = fd, .events = events, .revents = 0};
  return ::poll(&waiting, 1, 10'000) == 1;
}

bool is_nonblocking(const Fd& fd) {
  return (::fcntl(fd.get(), F_GETFL) & O_NONBLOCK) != 0;
}

bool is_close_on_exec(const Fd& fd) {
  return (::fcntl(fd.get(), F_GETFD) & FD_CLOEXEC) != 0;
}

TEST(Network, AFreePortCanBeListenedOn) {
  const auto port = free_loopback_port();
  ASSERT_TRUE(port);
  const auto listener = listen_tcp("127.0.0.1", *port);
  ASSERT_TRUE(listener);
  EXPECT_EQ(local_port(listener->get()).value(), *port);
}

TEST(Network, ConnectsToAListenerWithoutBlocking) {
  const auto listener = listen_tcp("127.0.0.1", 0);
  ASSERT_TRUE(listener);
  EXPECT_TRUE(is_nonblocking(*listener));
  EXPECT_TRUE(is_close_on_exec(*listener));

  const auto connection = connect_tcp("127.0.0.1", local_port(listener->get()).value());
  ASSERT_TRUE(connection);
  EXPECT_TRUE(is_nonblocking(*connection));
  EXPECT_TRUE(is_close_on_exec(*connection));
  ASSERT_TRUE(becomes_ready(connection->get(), POLLOUT));
  EXPECT_EQ(socket_error(connection->get()), 0);
  ASSERT_TRUE(becomes_ready(listener->get(), POLLIN));
}

TEST(Network, NothingHoldsBackWhatIsSentOverLoopback) {
  const auto listener = listen_tcp("127.0.0.1", 0);
  ASSERT_TRUE(listener);
  const std::uint16_t port = local_port(listener->get()).value();
  const auto by_name = connect_tcp("127.0.0.1", port);
  const auto by_address = connect_tcp(resolve_tcp("127.0.0.1", port).value().front());
  for (const auto& connection : {&by_name, &by_address}) {
    ASSERT_TRUE(connection->has_value());
    int no_delay = 0;
    socklen_t length = sizeof no_delay;
    ::getsockopt((*connection)->get(), IPPROTO_TCP, TCP_NODELAY, &no_delay, &length);
    EXPECT_NE(no_delay, 0);
    std::array<char, 16> control{};
    length = control.size();
    ::getsockopt((*connection)->get(), IPPROTO_TCP, TCP_CONGESTION, control.data(), &length);
    EXPECT_STREQ(control.data(), "reno");
  }
}

TEST(Network, ResolvesANameAndListensOnIpv6) {
  const auto listener = listen_tcp("::1", 0);
  if (!listener) GTEST_SKIP() << "no IPv6 loopback here";
  const auto connection = connect_tcp("::1", local_port(listener->get()).value());
  ASSERT_TRUE(connection);
  EXPECT_TRUE(becomes_ready(connection->get(), POLLOUT));
  EXPECT_TRUE(connect_tcp("localhost", 9).has_value());
}

TEST(Network, ARefusedConnectionShowsInSocketError) {
  const auto port = free_loopback_port();
  ASSERT_TRUE(port);
  const auto connection = connect_tcp("127.0.0.1", *port);
  ASSERT_TRUE(connection);
  ASSERT_TRUE(becomes_ready(connection->get(), POLLOUT));
  EXPECT_EQ(socket_error(connection->get()), ECONNREFUSED);
}

TEST(Network, APortInUseIsNamedInTheError) {
  const auto first = listen_tcp("127.0.0.1", 0);
  ASSERT_TRUE(first);
  const auto port = local_port(first->get()).value();
  const auto second = listen_tcp("127.0.0.1", port);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().system_errno, EADDRINUSE);
  EXPECT_NE(second.error().what.find("127.0.0.1:" + std::to_string(port)), std::string::npos);
}

TEST(Network, AnUnknownHostIsNamedInTheError) {
  const auto connection = connect_tcp("no-such-host.invalid", 80);
  ASSERT_FALSE(connection);
  EXPECT_NE(connection.error().what.find("no-such-host.invalid"), std::string::npos);
}

class Stdio : public testing::TestWithParam<StdioKind> {};

TEST_P(Stdio, CarriesBothDirectionsAndEndsWhenOurEndCloses) {
  auto stdio = make_stdio(GetParam());
  ASSERT_TRUE(stdio);
  for (const Fd* ours : {&stdio->parent_read, &stdio->parent_write}) {
    EXPECT_TRUE(is_nonblocking(*ours));
    EXPECT_TRUE(is_close_on_exec(*ours));
  }
  // The child must find what a host gives it: blocking descriptors.
  EXPECT_FALSE(is_nonblocking(stdio->child_stdin));
  EXPECT_FALSE(is_nonblocking(stdio->child_stdout));

  char byte = 0;
  ASSERT_EQ(::write(stdio->parent_write.get(), "a", 1), 1);
  ASSERT_EQ(::read(stdio->child_stdin.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'a');
  ASSERT_EQ(::write(stdio->child_stdout.get(), "b", 1), 1);
  ASSERT_EQ(::read(stdio->parent_read.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'b');

  stdio->parent_write.reset();
  EXPECT_EQ(::read(stdio->child_stdin.get(), &byte, 1), 0);
  ASSERT_EQ(::write(stdio->child_stdout.get(), "c", 1), 1);
  EXPECT_EQ(::read(stdio->parent_read.get(), &byte, 1), 1);
  stdio->child_stdout.reset();
  EXPECT_EQ(::read(stdio->parent_read.get(), &byte, 1), 0);
}

TEST_P(Stdio, IsOfTheKindAskedFor) {
  const auto stdio = make_stdio(GetParam());
  ASSERT_TRUE(stdio);
  struct stat seen{};
  ASSERT_EQ(::fstat(stdio->child_stdin.get(), &seen), 0);
  EXPECT_EQ(S_ISSOCK(seen.st_mode), GetParam() == StdioKind::socketpair);
  EXPECT_EQ(S_ISFIFO(seen.st_mode), GetParam() == StdioKind::pipe);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Stdio, testing::Values(StdioKind::socketpair, StdioKind::pipe),
                         [](const auto& kind) {
                           return kind.param == StdioKind::pipe ? "pipe" : "socketpair";
                         });

}  // namespace
}  // namespace weighbridge::os
