// Requests that are too large, malformed or hostile.
#include <gtest/gtest.h>

#include "base/random.h"
#include "os/real_clock.h"
#include "support.h"
#include "transport/http_server.h"

namespace weighbridge::transport {
namespace {

using testing::Loop;
using testing::RawPeer;

class HttpServerLimits : public ::testing::Test {
 protected:
  Loop loop;
  int handled = 0;
  std::unique_ptr<HttpServer> server =
      HttpServer::listen(loop.poller(), {.max_header_bytes = 1000, .max_body_bytes = 100},
                         [this](HttpRequest&& request, const std::shared_ptr<HttpReply>& reply) {
                           ++handled;
                           reply->send(200, {}, Body(request.body));
                         })
          .value();

  RawPeer connect() { return RawPeer::connect_to(server->port()); }
  /// Writes, and reads until the server hangs up.
  std::string exchange(std::string_view request) {
    const RawPeer peer = connect();
    peer.write(request);
    loop.settle();
    return peer.read_to_end();
  }
  void expect_refusal(std::string_view request, std::string_view status) {
    const std::string got = exchange(request);
    EXPECT_TRUE(got.starts_with("HTTP/1.1 " + std::string(status))) << got;
    EXPECT_NE(got.find("Connection: close"), std::string::npos);
    EXPECT_EQ(handled, 0);
  }
};

TEST_F(HttpServerLimits, RefusesABodyThatSaysItIsTooLong) {
  expect_refusal("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 101\r\n\r\n", "413");
}

TEST_F(HttpServerLimits, RefusesABodyThatGrowsTooLong) {
  expect_refusal("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n" +
                     std::string(64, 'x') + "\r\n40\r\n" + std::string(64, 'x') + "\r\n",
                 "413");
}

TEST_F(HttpServerLimits, TakesABodyOfExactlyTheLimit) {
  const RawPeer peer = connect();
  peer.write(render_request("POST", "/", "h", {}, std::string(100, 'x')));
  loop.settle();
  EXPECT_TRUE(peer.read_available().ends_with(std::string(100, 'x')));
}

TEST_F(HttpServerLimits, LetsAPeerThatIsStillSendingReadWhyItWasRefused) {
  const RawPeer peer = connect();
  peer.write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5000000\r\n\r\n");
  std::size_t sent = 0;
  const std::string piece(50'000, 'x');
  while (sent < 5'000'000) {
    peer.write(piece);
    sent += piece.size();
    loop.poller().run_once(os::now());
  }
  loop.settle();
  EXPECT_TRUE(peer.read_to_end().starts_with("HTTP/1.1 413"));
}

TEST_F(HttpServerLimits, RefusesAHeadThatIsTooLong) {
  expect_refusal("GET / HTTP/1.1\r\nHost: h\r\nX-Long: " + std::string(1000, 'x') + "\r\n\r\n",
                 "431");
  expect_refusal("GET /" + std::string(1000, 'x') + " HTTP/1.1\r\nHost: h\r\n\r\n", "431");
}

TEST_F(HttpServerLimits, RefusesTrailersThatAreTooLong) {
  expect_refusal("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-Long: " +
                     std::string(1000, 'x') + "\r\n\r\n",
                 "431");
}

class BadRequest : public HttpServerLimits, public ::testing::WithParamInterface<std::string> {};

TEST_P(BadRequest, GetsA400AndIsClosed) {
  expect_refusal(GetParam(), "400");
}

INSTANTIATE_TEST_SUITE_P(
    , BadRequest,
    ::testing::Values(
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01", 8), std::string("hello\r\n\r\n"),
        std::string("{\"jsonrpc\":\"2.0\"}\n\n"), std::string("GET / HTTP/1.1\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nHost : a\r\n\r\n"), std::string("GET /\r\n\r\n"),
        std::string("GET / HTTP/2.0\r\nHost: a\r\n\r\n"),
        std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        // Two ways of saying where the body ends: how requests are smuggled past a proxy.
        std::string("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n"
                    "\r\nxx"),
        std::string("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n")));

TEST_F(HttpServerLimits, ContinuesForAPeerThatAsksFirst) {
  const RawPeer peer = connect();
  peer.write("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  loop.settle();
  EXPECT_EQ(peer.read_available(), "HTTP/1.1 100 Continue\r\n\r\n");
  peer.write("abc");
  loop.settle();
  EXPECT_EQ(peer.read_available(), "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
}

TEST_F(HttpServerLimits, DoesNotContinueWhatIsTooLong) {
  expect_refusal(
      "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 101\r\n\r\n", "413");
}

TEST_F(HttpServerLimits, RefusesAnExpectationItDoesNotKnow) {
  expect_refusal("GET / HTTP/1.1\r\nHost: h\r\nExpect: miracles\r\n\r\n", "417");
}

TEST_F(HttpServerLimits, ServesTheRequestsBeforeABadOne) {
  const std::string got = exchange(testing::get("/") + "garbage\r\n\r\n");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 400 ")) << got;
}

TEST_F(HttpServerLimits, GivesUpOnAPeerThatLeavesAmidItsRequest) {
  RawPeer peer = connect();
  peer.write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 50\r\n\r\nhalf");
  loop.settle();
  EXPECT_EQ(server->connections(), 1U);
  peer.close();
  EXPECT_TRUE(loop.until([&] { return server->connections() == 0; }));
  EXPECT_EQ(handled, 0);
}

TEST_F(HttpServerLimits, DropsARefusedPeerThatNeverLeaves) {
  const RawPeer peer = connect();
  peer.write("garbage\r\n\r\n");
  ASSERT_TRUE(loop.until([&] { return server->connections() == 1; }));
  EXPECT_TRUE(loop.until([&] { return server->connections() == 0; }));
}

TEST_F(HttpServerLimits, SurvivesNoise) {
  Random random(20261130);
  const std::string seed =
      "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
      "GET /b HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nxy";
  for (int round = 0; round < 300; ++round) {
    std::string noise = seed;
    for (std::uint64_t flips = 1 + random.below(4); flips > 0; --flips)
      noise[random.below(noise.size())] = static_cast<char>(random.below(256));
    const RawPeer peer = connect();
    const std::size_t cut = random.below(noise.size());
    peer.write(noise.substr(0, cut));
    loop.poller().run_once(os::now());
    peer.write(noise.substr(cut));
    peer.end_writing();
    loop.poller().run_once(os::now() + 1ms);
  }
  EXPECT_TRUE(loop.until([&] { return server->connections() == 0; }));
  const RawPeer peer = connect();
  peer.write(testing::get("/"));
  loop.settle();
  EXPECT_TRUE(peer.read_available().starts_with("HTTP/1.1 200 OK"));
}

}  // namespace
}  // namespace weighbridge::transport
