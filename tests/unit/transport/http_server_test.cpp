#include "transport/http_server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include "os/real_clock.h"
#include "server_fixture.h"

namespace weighbridge::transport {
namespace {

using testing::HttpServerTest;
using testing::ok;
using testing::RawPeer;

TEST_F(HttpServerTest, HandsOverTheWholeRequest) {
  HttpRequest seen;
  handler = [&](HttpRequest&& request, const Reply& reply) {
    seen = std::move(request);
    reply->send(202, {{"X-One", "1"}}, {});
  };
  const RawPeer peer = connect();
  peer.write(
      "POST /mcp?x=1 HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
      "Content-Length: 2\r\n\r\n{}");
  expect(peer, "HTTP/1.1 202 Accepted\r\nX-One: 1\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.target, "/mcp?x=1");
  EXPECT_EQ(seen.body, "{}");
  ASSERT_EQ(seen.headers.size(), 3U);
  EXPECT_EQ(find_header(seen.headers, "content-type"), "application/json");
}

TEST_F(HttpServerTest, TakesNoWhiteSpaceForPartOfAHeaderValue) {
  Headers seen;
  handler = [&](HttpRequest&& request, const Reply& reply) {
    seen = std::move(request.headers);
    reply->send(200, {}, {});
  };
  const RawPeer peer = connect();
  peer.write("GET / HTTP/1.1\r\nHost: h\r\nX-One:  a b \t \r\nX-Two:  \r\n\r\n");
  expect(peer, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(find_header(seen, "X-One"), "a b");
  EXPECT_EQ(find_header(seen, "X-Two"), "");
}

TEST_F(HttpServerTest, KeepsTheConnection) {
  const RawPeer peer = connect();
  for (const char* target : {"/1", "/2", "/3"}) {
    peer.write(testing::get(target));
    expect(peer, ok("GET " + std::string(target) + " "));
  }
  EXPECT_EQ(server->connections(), 1U);
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  const RawPeer peer = connect();
  std::string all;
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    all += render_request("POST", "/" + std::to_string(i), "h", {}, "x");
    expected += ok("POST /" + std::to_string(i) + " x");
  }
  peer.write(all);
  expect(peer, expected);
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrderWhenTheyAreAnsweredLater) {
  keep_replies();
  const RawPeer peer = connect();
  peer.write(testing::get("/1") + testing::get("/2") + testing::get("/3"));
  for (const char* target : {"/1", "/2", "/3"}) {
    ASSERT_TRUE(loop.until([&] { return kept.contains(target); }));
    loop.settle();
    EXPECT_EQ(kept.size(), 1U) << "the next is not begun before the last is answered";
    kept[target]->send(200, {}, Body(target));
    kept.erase(target);
    expect(peer, ok(target));
  }
}

TEST_F(HttpServerTest, ReadsARequestThatArrivesOneByteAtATime) {
  const RawPeer peer = connect();
  const std::string request =
      "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: t\r\n\r\n";
  for (const char byte : request) {
    peer.write({&byte, 1});
    loop.poller().run_once(os::now() + 1ms);
  }
  expect(peer, ok("POST /a abcde"));
}

TEST_F(HttpServerTest, ReadsARequestSplitAnywhere) {
  const RawPeer peer = connect();
  const std::string request =
      "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nabcdeGET /b HTTP/1.1\r\nHost: "
      "h\r\n\r\n";
  for (std::size_t at = 1; at < request.size(); ++at) {
    peer.write(request.substr(0, at));
    loop.poller().run_once(os::now() + 1ms);
    peer.write(request.substr(at));
    expect(peer, ok("POST /a abcde") + ok("GET /b "));
  }
}

TEST_F(HttpServerTest, ServesChunksAsTheyAreWritten) {
  keep_replies();
  const RawPeer peer = connect();
  peer.write(testing::get("/sse"));
  ASSERT_TRUE(loop.until([&] { return !kept.empty(); }));
  const Reply reply = kept["/sse"];
  reply->begin(200, {{"Content-Type", "text/event-stream"}});
  expect(
      peer,
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
  reply->write(Body("data: 1\n\n"));
  expect(peer, "9\r\ndata: 1\n\n\r\n");
  reply->write(Body());  // would end the reply
  reply->write(Body("a").add(std::string(16, 'b')));
  expect(peer, "11\r\nabbbbbbbbbbbbbbbb\r\n");
  reply->end();
  expect(peer, "0\r\n\r\n");
  peer.write(testing::get("/next"));
  ASSERT_TRUE(loop.until([&] { return kept.contains("/next"); })) << "and the connection lives on";
}

TEST_F(HttpServerTest, SharesAListingInsteadOfCopyingIt) {
  // More than socket buffers hold, so that some of it has to wait.
  const auto listing = std::make_shared<const std::string>(12'000'000, 'x');
  handler = [&](HttpRequest&&, const Reply& reply) {
    reply->send(200, {}, Body("{\"id\":1,\"result\":").add(listing).add("}"));
  };
  const RawPeer peer = connect();
  peer.write(testing::get("/"));
  loop.settle();
  EXPECT_GT(listing.use_count(), 1) << "what the kernel has not taken is still this very string";
  const std::string got = receive(peer, listing->size() + 60);
  EXPECT_TRUE(got.ends_with("{\"id\":1,\"result\":" + *listing + "}"));
  loop.settle();
  EXPECT_EQ(listing.use_count(), 1);
}

TEST_F(HttpServerTest, ASlowReaderHoldsUpNobodyAndIsServedOneReplyAtATime) {
  const auto listing = std::make_shared<const std::string>(12'000'000, 'x');
  int asked = 0;
  handler = [&](HttpRequest&& request, const Reply& reply) {
    if (request.target == "/small") return reply->send(200, {}, Body("small"));
    ++asked;
    reply->send(200, {}, Body().add(listing));
  };
  const RawPeer slow = connect();
  slow.write(testing::get("/") + testing::get("/") + testing::get("/"));
  loop.settle();
  EXPECT_EQ(asked, 1) << "the second listing is not begun while the first is not taken";

  const RawPeer quick = connect();
  quick.write(testing::get("/small"));
  expect(quick, ok("small"));

  const std::size_t one_reply =
      std::string("HTTP/1.1 200 OK\r\nContent-Length: 12000000\r\n\r\n").size() + listing->size();
  std::size_t received = 0;
  ASSERT_TRUE(loop.until([&] {
    received += slow.read_available().size();
    return received >= 3 * one_reply;
  }));
  EXPECT_EQ(received, 3 * one_reply);
  EXPECT_EQ(asked, 3);
}

TEST_F(HttpServerTest, StopsReadingAPeerThatRunsAheadOfItsReplies) {
  keep_replies();
  const RawPeer peer = connect();
  peer.write(testing::get("/first"));
  ASSERT_TRUE(loop.until([&] { return !kept.empty(); }));
  // More than socket buffers hold: only a server that reads on would take it all.
  const std::string flood(1 << 20, 'x');
  std::size_t sent = 0;
  for (int stuck = 0; stuck < 20 && sent < (64U << 20);) {
    const ssize_t count = ::send(peer.fd(), flood.data(), flood.size(), MSG_DONTWAIT);
    stuck = count > 0 ? 0 : stuck + 1;
    sent += count > 0 ? static_cast<std::size_t>(count) : 0;
    loop.poller().run_once(os::now() + 1ms);
  }
  EXPECT_LT(sent, 64U << 20);
}

TEST_F(HttpServerTest, AnswersHeadWithoutTheBody) {
  const RawPeer peer = connect();
  peer.write("HEAD /abc HTTP/1.1\r\nHost: h\r\n\r\n" + testing::get("/next"));
  expect(peer, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n" + ok("GET /next "));
}

TEST_F(HttpServerTest, SendsNoBodyWhereHttpAllowsNone) {
  handler = [](HttpRequest&&, const Reply& reply) { reply->send(204, {}, Body("ignored")); };
  const RawPeer peer = connect();
  peer.write(testing::get("/"));
  expect(peer, "HTTP/1.1 204 No Content\r\n\r\n");
}

TEST_F(HttpServerTest, SpeaksHttp10WithoutChunks) {
  handler = [](HttpRequest&&, const Reply& reply) {
    reply->begin(200, {});
    reply->write(Body("abc"));
    reply->end();
  };
  const RawPeer peer = connect();
  peer.write("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(receive_all(peer), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc");
}

TEST_F(HttpServerTest, KeepsAnHttp10ConnectionThatAsksForIt) {
  const RawPeer peer = connect();
  peer.write("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  expect(peer, "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: keep-alive\r\n\r\nGET /1 ");
  peer.write("GET /2 HTTP/1.0\r\n\r\n");
  EXPECT_EQ(receive_all(peer),
            "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nGET /2 ");
}

TEST_F(HttpServerTest, ClosesWhenThePeerAsksForIt) {
  const RawPeer peer = connect();
  peer.write("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n" + testing::get("/more"));
  EXPECT_EQ(receive_all(peer),
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nGET / ");
}

TEST_F(HttpServerTest, ClosesWhenTheHandlerAsksForIt) {
  for (const bool before : {true, false}) {
    handler = [&](HttpRequest&&, const Reply& reply) {
      if (before) reply->close_after();
      reply->send(200, {}, Body("x"));
      if (!before) reply->close_after();
    };
    const RawPeer peer = connect();
    peer.write(testing::get("/"));
    const std::string got = receive_all(peer);
    EXPECT_TRUE(got.ends_with("\r\n\r\nx")) << got;
    EXPECT_EQ(got.find("Connection: close") != std::string::npos, before);
  }
}

TEST_F(HttpServerTest, CanBreakOffAReplyOnPurpose) {
  handler = [&](HttpRequest&&, const Reply& reply) {
    reply->begin(200, {});
    reply->write(Body("half"));
    reply->close_after();
    reply->write(Body("never"));
    reply->end();
  };
  const RawPeer peer = connect();
  peer.write(testing::get("/"));
  EXPECT_EQ(receive_all(peer),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
}

TEST_F(HttpServerTest, CanHangUpWithoutAWord) {
  handler = [&](HttpRequest&&, const Reply& reply) { reply->close_after(); };
  const RawPeer peer = connect();
  peer.write(testing::get("/"));
  EXPECT_EQ(receive_all(peer), "");
}

TEST_F(HttpServerTest, AnswersForAHandlerThatForgets) {
  handler = [](HttpRequest&&, const Reply&) {};
  const RawPeer peer = connect();
  peer.write(testing::get("/"));
  EXPECT_EQ(receive_all(peer),
            "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}

TEST_F(HttpServerTest, BreaksOffAReplyThatIsForgottenHalfway) {
  keep_replies();
  const RawPeer peer = connect();
  peer.write(testing::get("/"));
  ASSERT_TRUE(loop.until([&] { return !kept.empty(); }));
  kept["/"]->begin(200, {});
  kept.clear();
  EXPECT_EQ(receive_all(peer), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
}

TEST_F(HttpServerTest, IgnoresASecondAnswer) {
  handler = [](HttpRequest&&, const Reply& reply) {
    reply->send(200, {}, Body("one"));
    reply->send(200, {}, Body("two"));
    reply->begin(200, {});
    reply->end();
  };
  const RawPeer peer = connect();
  peer.write(testing::get("/"));
  expect(peer, ok("one"));
  peer.write(testing::get("/"));
  expect(peer, ok("one"));
}

TEST_F(HttpServerTest, FramingHeadersOfTheHandlerDoNotContradictItsOwn) {
  handler = [](HttpRequest&&, const Reply& reply) {
    reply->send(200, {{"content-length", "99"}, {"Transfer-Encoding", "chunked"}, {"X", "y"}},
                Body("x"));
  };
  const RawPeer peer = connect();
  peer.write(testing::get("/"));
  expect(peer, "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 1\r\n\r\nx");
}

TEST_F(HttpServerTest, WelcomesHundredsOfCallersAtOnce) {
  std::vector<RawPeer> peers;
  for (int i = 0; i < 400; ++i) {
    peers.push_back(connect());
    peers.back().write(testing::get("/" + std::to_string(i)));
  }
  for (std::size_t i = 0; i < peers.size(); ++i)
    expect(peers[i], ok("GET /" + std::to_string(i) + " "));
  EXPECT_EQ(server->connections(), 400U);
}

TEST_F(HttpServerTest, SaysWhoAsks) {
  handler = [](HttpRequest&& request, const Reply& reply) { reply->send(200, {}, request.peer); };
  const auto peer = connect();
  peer.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  expect(peer, ok("127.0.0.1"));
}

TEST_F(HttpServerTest, KeepsSomethingForEveryConnectionUntilItIsClosed) {
  std::vector<std::weak_ptr<void>> kept_things;
  HttpServer::Options options;
  options.keep_for_connection = [&] {
    auto thing = std::make_shared<int>(7);
    kept_things.emplace_back(thing);
    return thing;
  };
  server = HttpServer::listen(loop.poller(), options, [](HttpRequest&&, const Reply& reply) {
             reply->send(200, {}, {});
           }).value();
  {
    const auto first = connect();
    const auto second = connect();
    EXPECT_TRUE(loop.until([&] { return kept_things.size() == 2; }));
    EXPECT_FALSE(kept_things[0].expired() || kept_things[1].expired());
  }
  EXPECT_TRUE(loop.until([&] { return kept_things[0].expired() && kept_things[1].expired(); }));
}

}  // namespace
}  // namespace weighbridge::transport
