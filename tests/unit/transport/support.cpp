#include "support.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "os/network.h"
#include "os/real_clock.h"

namespace weighbridge::transport::testing {
namespace {

constexpr Duration kPatience = 30s;

bool readable(int fd, int milliseconds) {
  pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&waiting, 1, milliseconds) == 1;
}

}  // namespace

Loop::Loop() : poller_(os::Poller::create().value()) {}

bool Loop::until(const std::function<bool()>& done) {
  const Instant deadline = os::now() + kPatience;
  while (!done()) {
    if (os::now() > deadline) return false;
    // Short rounds: what a test waits for may also come from a socket that is not the loop's.
    poller_->run_once(os::now() + 1ms);
  }
  return true;
}

void Loop::settle() {
  for (int round = 0; round < 5; ++round) poller_->run_once(os::now() + 5ms);
}

RawPeer::RawPeer(os::Fd socket) : socket_(std::move(socket)) {
  const timeval limit{.tv_sec = 30, .tv_usec = 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  // Pieces are to travel as pieces, and at once: Nagle's algorithm would hold back every second one
  // for 40 ms.
  const int on = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

RawPeer RawPeer::connect_to(std::uint16_t port) {
  os::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
            0);
  return RawPeer(std::move(socket));
}

void RawPeer::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ASSERT_GT(count, 0) << "the other side does not take bytes";
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string RawPeer::read(std::size_t bytes) const {
  std::string text(bytes, '\0');
  std::size_t filled = 0;
  while (filled < bytes) {
    const ssize_t count = ::recv(socket_.get(), text.data() + filled, bytes - filled, 0);
    if (count <= 0) break;
    filled += static_cast<std::size_t>(count);
  }
  text.resize(filled);
  return text;
}

std::string RawPeer::read_until(std::string_view mark) const {
  std::string text;
  while (!text.ends_with(mark)) {
    const std::string next = read(1);
    if (next.empty()) break;
    text += next;
  }
  return text;
}

std::string RawPeer::read_to_end() const {
  std::string text;
  for (std::string next = read(65536); !next.empty(); next = read(65536)) text += next;
  return text;
}

std::string RawPeer::read_available() const {
  std::string text;
  char buffer[65536];
  while (true) {
    const ssize_t count = ::recv(socket_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

void RawPeer::end_writing() const {
  ::shutdown(socket_.get(), SHUT_WR);
}

void RawPeer::reset() {
  const linger hard{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  socket_.reset();
}

RawServer::RawServer()
    : listener_(os::listen_tcp("127.0.0.1", 0).value()),
      port_(os::local_port(listener_.get()).value()) {}

RawPeer RawServer::accept() const {
  EXPECT_TRUE(readable(listener_.get(), 30'000)) << "nobody connects";
  return RawPeer(os::Fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)));
}

bool RawServer::somebody_waits() const {
  return readable(listener_.get(), 0);
}

Url RawServer::url() const {
  return Url{.scheme = "http", .host = "127.0.0.1", .port = port_, .target = "/"};
}

void KeepingSink::on_head(int head_status, const Headers& head_headers) {
  EXPECT_FALSE(over());
  EXPECT_EQ(status, 0) << "one reply has one head";
  status = head_status;
  headers = head_headers;
  if (then_on_head) then_on_head();
}

void KeepingSink::on_body(std::string_view piece, Instant at) {
  EXPECT_FALSE(over());
  EXPECT_NE(status, 0) << "the head comes first";
  EXPECT_LE(at, os::now());
  body.append(piece);
  if (then_on_body) then_on_body();
}

void KeepingSink::on_complete(const ExchangeTimes& exchange_times) {
  EXPECT_FALSE(over());
  EXPECT_NE(status, 0);
  times = exchange_times;
  if (then_at_end) then_at_end();
}

void KeepingSink::on_failure(const Error& error) {
  EXPECT_FALSE(over());
  failure = error;
  if (then_at_end) then_at_end();
}

std::string get(std::string_view target) {
  return render_request("GET", target, "127.0.0.1", {}, {});
}

std::string read_fixture(const std::string& name) {
  std::ifstream file(WEIGHBRIDGE_SOURCE_DIR "/tests/fixtures/http/" + name, std::ios::binary);
  EXPECT_TRUE(file) << "no fixture " << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace weighbridge::transport::testing
