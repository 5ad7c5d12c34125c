#include "transport/http_client.h"

#include <gtest/gtest.h>

#include "os/real_clock.h"
#include "support.h"

namespace weighbridge::transport {
namespace {

using testing::get;
using testing::KeepingSink;
using testing::Loop;
using testing::RawPeer;
using testing::RawServer;

class HttpClientTest : public ::testing::Test {
 protected:
  Loop loop;
  RawServer server;
  HttpClient client{loop.poller(), server.url(), 2};
  KeepingSink sink;

  /// Sends one request and has a hand-made server answer it with these bytes, in one piece.
  RawPeer exchange(std::string_view reply) {
    client.send(get("/"), sink);
    RawPeer peer = accept_request();
    peer.write(reply);
    EXPECT_TRUE(loop.until([&] { return sink.over(); }));
    return peer;
  }

  RawPeer accept_request() {
    loop.settle();
    RawPeer peer = server.accept();
    loop.settle();
    EXPECT_EQ(peer.read_until("\r\n\r\n"), get("/"));
    return peer;
  }
};

TEST_F(HttpClientTest, HandsOverHeadBodyAndTimes) {
  const Instant before = os::now();
  exchange(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Empty:\r\n"
      "Content-Length: 5\r\n\r\nhello");
  ASSERT_TRUE(sink.times) << sink.failure->what;
  EXPECT_EQ(sink.status, 200);
  EXPECT_EQ(find_header(sink.headers, "content-type"), "application/json");
  EXPECT_EQ(find_header(sink.headers, "x-empty"), "");
  EXPECT_EQ(sink.headers.size(), 3U);
  EXPECT_EQ(sink.body, "hello");
  EXPECT_LE(before, sink.times->sent);
  EXPECT_LT(sink.times->sent, sink.times->first_byte);
  EXPECT_LE(sink.times->first_byte, sink.times->done);
  EXPECT_LE(sink.times->done, os::now());
}

TEST_F(HttpClientTest, CountsWhatWentOverTheWire) {
  const std::string reply =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n";
  exchange(reply);
  EXPECT_EQ(client.bytes_written(), get("/").size());
  EXPECT_EQ(client.bytes_read(), reply.size());
  EXPECT_EQ(client.connections_opened(), 1U);
}

TEST_F(HttpClientTest, TellsTheFirstByteFromTheLast) {
  client.send(get("/"), sink);
  const RawPeer peer = accept_request();
  peer.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na");
  ASSERT_TRUE(loop.until([&] { return sink.body == "a"; }));
  const Instant between = os::now();
  peer.write("b");
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  ASSERT_TRUE(sink.times);
  EXPECT_LE(sink.times->first_byte, between);
  EXPECT_GE(sink.times->done, between);
}

TEST_F(HttpClientTest, UndoesChunks) {
  exchange(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5;name=value\r\nhello\r\n6\r\n world\r\n0\r\nX-Trailer: dropped\r\n\r\n");
  ASSERT_TRUE(sink.times);
  EXPECT_EQ(sink.body, "hello world");
  EXPECT_EQ(sink.headers.size(), 1U);
}

TEST_F(HttpClientTest, ReadsABodyThatOnlyTheCloseEnds) {
  client.send(get("/"), sink);
  RawPeer peer = accept_request();
  peer.write("HTTP/1.1 200 OK\r\n\r\nhello");
  ASSERT_TRUE(loop.until([&] { return sink.body == "hello"; }));
  EXPECT_FALSE(sink.over());
  peer.close();
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  EXPECT_TRUE(sink.times);
}

TEST_F(HttpClientTest, PassesOverInterimReplies) {
  exchange(
      "HTTP/1.1 100 Continue\r\n\r\n"
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
  ASSERT_TRUE(sink.times);
  EXPECT_EQ(sink.status, 200);
  EXPECT_EQ(sink.headers.size(), 1U);
  EXPECT_EQ(sink.body, "x");
}

TEST_F(HttpClientTest, KnowsRepliesThatHaveNoBody) {
  const RawPeer peer = exchange("HTTP/1.1 204 No Content\r\n\r\n");
  ASSERT_TRUE(sink.times);
  EXPECT_EQ(sink.status, 204);

  // 202 with nothing is how a server takes a notification.
  KeepingSink second;
  client.send(get("/"), second);
  loop.settle();
  EXPECT_EQ(client.connections_opened(), 1U) << "a 204 leaves its connection usable";
}

TEST_F(HttpClientTest, UsesAConnectionAgain) {
  const RawPeer peer = exchange("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  for (int i = 0; i < 3; ++i) {
    KeepingSink next;
    client.send(get("/"), next);
    EXPECT_EQ(peer.read_until("\r\n\r\n"), get("/")) << "an idle connection is written to at once";
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    ASSERT_TRUE(loop.until([&] { return next.over(); }));
    EXPECT_EQ(next.body, "x");
  }
  EXPECT_EQ(client.connections_opened(), 1U);
}

TEST_F(HttpClientTest, HeedsConnectionClose) {
  const RawPeer peer =
      exchange("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx");
  EXPECT_EQ(peer.read_to_end(), "") << "we close our side too";
  KeepingSink next;
  client.send(get("/"), next);
  accept_request();
  EXPECT_EQ(client.connections_opened(), 2U);
}

TEST_F(HttpClientTest, DoesNotReuseAConnectionThatSaidTooMuch) {
  const RawPeer peer =
      exchange("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n\r\n");
  ASSERT_TRUE(sink.times);
  EXPECT_EQ(sink.body, "x");
  KeepingSink next;
  client.send(get("/"), next);
  accept_request();
  EXPECT_EQ(client.connections_opened(), 2U);
}

TEST_F(HttpClientTest, DropsAnIdleConnectionThatSpeaksUnasked) {
  const RawPeer peer = exchange("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  peer.write("HTTP/1.1 408 Request Timeout\r\n\r\n");
  loop.settle();
  EXPECT_EQ(peer.read_to_end(), "");
}

TEST_F(HttpClientTest, ReadsAReplyOfMegabytes) {
  client.send(get("/"), sink);
  const RawPeer peer = accept_request();
  const std::string body(3'300'000, 'x');
  peer.write("HTTP/1.1 200 OK\r\nContent-Length: 3300000\r\n\r\n");
  std::string_view rest = body;
  while (!rest.empty()) {
    peer.write(rest.substr(0, 50'000));
    rest.remove_prefix(std::min<std::size_t>(rest.size(), 50'000));
    loop.poller().run_once(os::now());
  }
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  EXPECT_EQ(sink.body, body);
}

TEST_F(HttpClientTest, DoesNotBlockOnAPeerThatDoesNotRead) {
  const std::string request = render_request("POST", "/", "h", {}, std::string(12'000'000, 'x'));
  client.send(request, sink);
  const RawPeer peer = server.accept();
  loop.settle();
  EXPECT_LT(client.bytes_written(), request.size());

  KeepingSink other;
  client.send(get("/"), other);
  const RawPeer other_peer = accept_request();
  other_peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(loop.until([&] { return other.over(); })) << "others go on";

  std::string taken;
  while (taken.size() < request.size()) {
    taken += peer.read_available();
    loop.poller().run_once(os::now() + 1ms);
  }
  EXPECT_EQ(taken, request);
  EXPECT_EQ(client.bytes_written(), request.size() + get("/").size());
  peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  EXPECT_TRUE(sink.times);
  EXPECT_LT(sink.times->sent, sink.times->first_byte);
}

TEST_F(HttpClientTest, TakesAReplyThatComesBeforeTheRequestIsWritten) {
  client.send(render_request("POST", "/", "h", {}, std::string(12'000'000, 'x')), sink);
  RawPeer peer = server.accept();
  loop.settle();
  peer.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 7\r\n\r\ntoo big");
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  ASSERT_TRUE(sink.times);
  EXPECT_EQ(sink.status, 413);
  EXPECT_EQ(sink.body, "too big");
  KeepingSink next;
  client.send(get("/"), next);
  accept_request();
  EXPECT_EQ(client.connections_opened(), 2U) << "the first is in the middle of a request";
}

TEST_F(HttpClientTest, TakesTheReplyOfAServerThatThenHangsUpOnTheRequest) {
  client.send(render_request("POST", "/", "h", {}, std::string(12'000'000, 'x')), sink);
  RawPeer peer = server.accept();
  loop.settle();
  peer.write(
      "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 7\r\n\r\ntoo big");
  peer.end_writing();
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  ASSERT_TRUE(sink.times) << sink.failure->what;
  EXPECT_EQ(sink.body, "too big");
}

TEST(HttpClientToLocalhost, FindsAServerOnEitherLoopback) {
  Loop loop;
  for (const char* address : {"127.0.0.1", "::1"}) {
    auto server = HttpServer::listen(
        loop.poller(), {.address = address},
        [](HttpRequest&&, const std::shared_ptr<HttpReply>& r) { r->send(200, {}, Body("x")); });
    if (!server) continue;  // a machine without IPv6
    HttpClient client(loop.poller(), {"http", "localhost", (*server)->port(), "/"}, 1);
    for (int i = 0; i < 2; ++i) {
      KeepingSink sink;
      client.send(get("/"), sink);
      ASSERT_TRUE(loop.until([&] { return sink.over(); }));
      EXPECT_TRUE(sink.times) << address << ": " << sink.failure->what;
    }
  }
}

TEST(HttpClientToHttps, SaysThatItDoesNotSpeakIt) {
  Loop loop;
  HttpClient client(loop.poller(), {"https", "127.0.0.1", 1, "/"}, 1);
  KeepingSink sink;
  client.send(get("/"), sink);
  EXPECT_FALSE(sink.over()) << "not from within send()";
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  ASSERT_TRUE(sink.failure);
  EXPECT_EQ(sink.failure->code, ErrorCode::usage);
}

}  // namespace
}  // namespace weighbridge::transport
