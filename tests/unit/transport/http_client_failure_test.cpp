// What can go wrong between a request and its reply, and what is said of it.
#include <gtest/gtest.h>

#include <cerrno>

#include "os/network.h"
#include "support.h"
#include "transport/http_client.h"

namespace weighbridge::transport {
namespace {

using testing::get;
using testing::KeepingSink;
using testing::Loop;
using testing::RawPeer;
using testing::RawServer;

class HttpClientFailure : public ::testing::Test {
 protected:
  Loop loop;
  RawServer server;
  HttpClient client{loop.poller(), server.url(), 4};
  KeepingSink sink;

  RawPeer accept_request() {
    loop.settle();
    RawPeer peer = server.accept();
    loop.settle();
    EXPECT_EQ(peer.read_until("\r\n\r\n"), get("/"));
    return peer;
  }
  /// A connection that has carried one exchange and is idle.
  RawPeer used_connection() {
    KeepingSink first;
    client.send(get("/"), first);
    RawPeer peer = accept_request();
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    EXPECT_TRUE(loop.until([&] { return first.over(); }));
    return peer;
  }
  /// Sends a request, answers with `bytes` and hangs up.
  void answer_and_close(std::string_view bytes) {
    client.send(get("/"), sink);
    RawPeer peer = accept_request();
    peer.write(bytes);
    peer.close();
    ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  }
  void expect_failure(ErrorCode code, std::string_view words) {
    ASSERT_TRUE(sink.failure);
    EXPECT_EQ(sink.failure->code, code);
    EXPECT_NE(sink.failure->what.find(words), std::string::npos) << sink.failure->what;
    EXPECT_NE(sink.failure->what.find("127.0.0.1:" + std::to_string(server.port())),
              std::string::npos)
        << sink.failure->what;
  }
};

TEST_F(HttpClientFailure, NamesTheAddressThatRefuses) {
  const auto port = os::free_loopback_port();
  ASSERT_TRUE(port);
  HttpClient nowhere(loop.poller(), {"http", "127.0.0.1", *port, "/"}, 1);
  nowhere.send(get("/"), sink);
  EXPECT_FALSE(sink.over()) << "not from within send()";
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  ASSERT_TRUE(sink.failure);
  EXPECT_EQ(sink.failure->code, ErrorCode::system);
  EXPECT_EQ(sink.failure->system_errno, ECONNREFUSED);
  EXPECT_NE(sink.failure->what.find("127.0.0.1:" + std::to_string(*port)), std::string::npos);
  EXPECT_NE(sink.failure->what.find("refused"), std::string::npos) << sink.failure->what;
}

TEST_F(HttpClientFailure, SaysThatANameIsUnknown) {
  HttpClient nowhere(loop.poller(), {"http", "no-such-host.invalid", 80, "/"}, 1);
  nowhere.send(get("/"), sink);
  EXPECT_FALSE(sink.over());
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  ASSERT_TRUE(sink.failure);
  EXPECT_NE(sink.failure->what.find("no-such-host.invalid"), std::string::npos);
}

TEST_F(HttpClientFailure, AFreshConnectionThatIsClosedIsNotTriedAgain) {
  answer_and_close("");
  expect_failure(ErrorCode::closed, "closed the connection without a reply");
  EXPECT_EQ(client.resets_retried(), 0U);
  EXPECT_EQ(client.connections_opened(), 1U);
}

TEST_F(HttpClientFailure, AStaleConnectionIsReplacedOnceAndCounted) {
  RawPeer stale = used_connection();
  client.send(get("/"), sink);  // written before the close is noticed
  stale.close();
  const RawPeer fresh = accept_request();
  fresh.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  ASSERT_TRUE(sink.times) << sink.failure->what;
  EXPECT_EQ(sink.body, "x");
  EXPECT_EQ(client.resets_retried(), 1U);
  EXPECT_EQ(client.connections_opened(), 2U);
}

TEST_F(HttpClientFailure, AStaleConnectionThatResetsIsReplacedToo) {
  RawPeer stale = used_connection();
  stale.reset();
  client.send(get("/"), sink);
  const RawPeer fresh = accept_request();
  fresh.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  ASSERT_TRUE(sink.times) << sink.failure->what;
  EXPECT_EQ(client.resets_retried(), 1U);
}

TEST_F(HttpClientFailure, TheSecondAttemptIsTheLast) {
  RawPeer stale = used_connection();
  client.send(get("/"), sink);
  stale.close();
  accept_request().close();
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  expect_failure(ErrorCode::closed, "without a reply");
  EXPECT_EQ(client.resets_retried(), 1U);
  EXPECT_EQ(client.connections_opened(), 2U);
}

TEST_F(HttpClientFailure, TheSecondAttemptDoesNotTrustTheOtherIdleConnections) {
  // Two stale connections: Node closes all that are idle at the same time.
  KeepingSink one;
  KeepingSink two;
  client.send(get("/"), one);
  client.send(get("/"), two);
  RawPeer first = accept_request();
  RawPeer second = accept_request();
  first.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  second.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(loop.until([&] { return one.over() && two.over(); }));
  client.send(get("/"), sink);
  first.close();
  second.close();
  const RawPeer fresh = accept_request();
  fresh.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  EXPECT_TRUE(sink.times);
}

TEST_F(HttpClientFailure, AFailureAmidAReplyIsNeverTriedAgain) {
  RawPeer used = used_connection();
  client.send(get("/"), sink);
  EXPECT_EQ(used.read_until("\r\n\r\n"), get("/"));
  used.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  used.close();
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  expect_failure(ErrorCode::closed, "in the middle of the reply's body");
  EXPECT_EQ(sink.body, "half");
  EXPECT_EQ(client.resets_retried(), 0U);
  EXPECT_FALSE(server.somebody_waits());
}

TEST_F(HttpClientFailure, TheTimeOfTheFirstAttemptStands) {
  RawPeer stale = used_connection();
  client.send(get("/"), sink);
  const Instant first_attempt_over = std::chrono::steady_clock::now();
  stale.close();
  const RawPeer fresh = accept_request();
  fresh.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  ASSERT_TRUE(sink.times);
  EXPECT_LE(sink.times->sent, first_attempt_over);
}

TEST_F(HttpClientFailure, TruncatedRepliesSayWhereTheyEnded) {
  answer_and_close("HTTP/1.1 200 OK\r\nContent-Type: appl");
  expect_failure(ErrorCode::closed, "in the middle of the reply's head");
}

TEST_F(HttpClientFailure, ALengthThatIsNotMetIsTruncated) {
  answer_and_close("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this");
  expect_failure(ErrorCode::closed, "in the middle of the reply's body");
}

TEST_F(HttpClientFailure, AMissingLastChunkIsTruncated) {
  answer_and_close("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
  expect_failure(ErrorCode::closed, "in the middle of the reply's body");
  EXPECT_EQ(sink.body, "hello");
}

TEST_F(HttpClientFailure, HalfAChunkIsTruncated) {
  answer_and_close("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhello");
  expect_failure(ErrorCode::closed, "in the middle of the reply's body");
}

TEST_F(HttpClientFailure, AnInterimReplyAloneIsNoReply) {
  answer_and_close("HTTP/1.1 100 Continue\r\n\r\n");
  expect_failure(ErrorCode::closed, "closed the connection");
}

TEST_F(HttpClientFailure, AResetAmidTheReplyIsCalledReset) {
  client.send(get("/"), sink);
  RawPeer peer = accept_request();
  peer.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  ASSERT_TRUE(loop.until([&] { return sink.body == "half"; }));
  peer.reset();
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  expect_failure(ErrorCode::closed, "reset the connection in the middle of the reply's body");
}

class NotHttp : public HttpClientFailure, public ::testing::WithParamInterface<std::string> {};

TEST_P(NotHttp, IsMalformed) {
  client.send(get("/"), sink);
  const RawPeer peer = accept_request();
  peer.write(GetParam());
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  expect_failure(ErrorCode::malformed, "not HTTP/1.1");
  EXPECT_EQ(peer.read_to_end(), "") << "and the connection is closed";
}

INSTANTIATE_TEST_SUITE_P(
    , NotHttp,
    ::testing::Values(std::string("SSH-2.0-OpenSSH_9.2\r\n"),
                      std::string("{\"jsonrpc\":\"2.0\"}\n"),
                      std::string("\0\x01\x02\x03\x04\x05\x06\x07\x08", 9),
                      std::string("HTTP/1.1 abc OK\r\n\r\n"),
                      std::string("HTTP/1.1 200 OK\r\nbad header\r\n\r\n"),
                      std::string("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"),
                      std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
                      std::string("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n"
                                  "Connection: Upgrade\r\n\r\n")));

TEST_F(HttpClientFailure, AHeadWithoutEndIsCutOff) {
  client.send(get("/"), sink);
  const RawPeer peer = accept_request();
  peer.write("HTTP/1.1 200 OK\r\n");
  const std::string line = "X-Again: " + std::string(1000, 'x') + "\r\n";
  for (int i = 0; i < 1000 && !sink.over(); ++i) {
    peer.write(line);
    loop.poller().run_once({});
  }
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  expect_failure(ErrorCode::malformed, "its head is longer than 256 KiB");
}

TEST_F(HttpClientFailure, AServerThatSpeaksTlsIsRecognisedByItsAlert) {
  client.send(get("/"), sink);
  loop.settle();
  RawPeer peer = server.accept();
  peer.write(std::string_view("\x15\x03\x01\x00\x02\x02\x46", 7));
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  ASSERT_TRUE(sink.failure);
  EXPECT_EQ(sink.failure->code, ErrorCode::malformed);
  EXPECT_NE(sink.failure->what.find("speaks TLS"), std::string::npos);
  EXPECT_NE(sink.failure->remedy.find("https://"), std::string::npos);
}

TEST_F(HttpClientFailure, AProxyThatIsNotThereIsNamed) {
  const auto port = os::free_loopback_port();
  ASSERT_TRUE(port);
  HttpClient proxied(loop.poller(), server.url(), 1,
                     {.tls = {}, .proxy = Url{"http", "127.0.0.1", *port, "/"}});
  proxied.send(get("/"), sink);
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  ASSERT_TRUE(sink.failure);
  EXPECT_NE(sink.failure->what.find("cannot connect to the proxy 127.0.0.1:"), std::string::npos);
  EXPECT_EQ(sink.failure->system_errno, ECONNREFUSED);
}

TEST_F(HttpClientFailure, AProxyIsToldTheWholeUrl) {
  HttpClient proxied(loop.poller(), Url{"http", "far.test", 8080, "/mcp"}, 1,
                     {.tls = {}, .proxy = server.url()});
  proxied.send(render_request("POST", "/mcp", "far.test:8080", {}, "{}"), sink);
  loop.settle();
  const RawPeer peer = server.accept();
  EXPECT_EQ(peer.read_until("\r\n"), "POST http://far.test:8080/mcp HTTP/1.1\r\n");
}

TEST_F(HttpClientFailure, ASinkMaySendAgainWithoutStarvingTheLoop) {
  // An unreachable server answers within send(); retrying from on_failure must still let time pass.
  HttpClient nowhere(loop.poller(), {"https", "127.0.0.1", 1, "/"}, 1);
  int attempts = 0;
  std::vector<std::unique_ptr<KeepingSink>> sinks;
  const std::function<void()> again = [&] {
    ++attempts;
    sinks.push_back(std::make_unique<KeepingSink>());
    sinks.back()->then_at_end = again;
    nowhere.send(get("/"), *sinks.back());
  };
  again();
  loop.settle();
  EXPECT_GT(attempts, 1);
  EXPECT_LT(attempts, 20);
}

}  // namespace
}  // namespace weighbridge::transport
