#include "client/detail/sse_session.h"

#include <gtest/gtest.h>

#include <optional>

#include "client/session.h"
#include "peers.h"

namespace weighbridge::client {
namespace {

using protocol::Outcome;

/// A server of HTTP+SSE under /sse and /message, told what to do with each POSTed message.
class SseSessionTest : public ::testing::Test {
 protected:
  using OnMessage = std::function<void(const json&)>;

  void serve(OnMessage on_message, const std::string& endpoint = "/message?sessionId=s-1") {
    peer.emplace(*poller,
                 [this, on_message = std::move(on_message), endpoint](const RawRequest& request) {
                   if (request.verb == "GET") {
                     std::string uri = endpoint;
                     if (const auto at = uri.find("{port}"); at != std::string::npos)
                       uri.replace(at, 6, std::to_string(peer->port()));
                     return open_stream({"event: endpoint\ndata: " + uri + "\n\n"});
                   }
                   if (request.target == "/sse")
                     return respond(404, "text/html", "<pre>Cannot POST /sse</pre>");
                   const json message = request.message();
                   if (message.value("method", "") == "initialize") {
                     peer->push_event(result_of(message, {{"protocolVersion", version},
                                                          {"capabilities", json::object()},
                                                          {"serverInfo", {{"name", "old"}}}}));
                   } else if (on_message) {
                     on_message(message);
                   }
                   return respond(status, "text/plain", "Accepted", more_headers);
                 });
  }
  /// Answers every request on the stream, as a server does.
  void serve_all() {
    serve([this](const json& message) {
      if (message.contains("id") && message.contains("method"))
        peer->push_event(result_of(message, {{"fine", true}}));
    });
  }
  HttpAccess access() {
    HttpAccess access;
    access.url = {.scheme = "http", .host = "127.0.0.1", .port = peer->port(), .target = "/sse"};
    access.headers = {{"X-Token", "t"}};
    return access;
  }
  std::unique_ptr<Session> session(const protocol::Era* asked = nullptr) {
    SessionOptions options;
    options.era = asked;
    options.dialect = HttpDialect::sse;
    return Session::over_http(*poller, access(), options);
  }
  static Instant soon() { return os::now() + 20s; }
  static Outcome outcome(const Reply& reply) {
    return protocol::judge(reply.facts(false), {}, {}).outcome;
  }

  std::unique_ptr<os::Poller> poller = *os::Poller::create();
  std::optional<HttpPeer> peer;
  std::string version = "2025-11-25";
  std::string more_headers;
  int status = 202;
};

TEST_F(SseSessionTest, PostsToTheEndpointAndReadsAnswersFromTheStream) {
  serve_all();
  const auto old = session();
  ASSERT_TRUE(old->open(soon()));
  EXPECT_EQ(old->server().name, "old");
  EXPECT_EQ(old->era().name, "2025-11-25");
  const Reply reply = old->call({"tools/list", "{}", {}}, soon());
  EXPECT_EQ(outcome(reply), Outcome::served) << reply.message;
  EXPECT_EQ(reply.media, Media::sse);
  EXPECT_EQ(reply.http_status, 202);
  EXPECT_EQ(reply.wire_bytes,
            reply.message.size() + std::string("event: message\ndata: \n\n").size());
  EXPECT_LE(reply.sent, reply.first_byte);
  EXPECT_LE(reply.first_byte, reply.done);
  old->close(1s);

  EXPECT_EQ(peer->requests[0].verb, "GET");
  EXPECT_EQ(peer->requests[0].headers["accept"], "text/event-stream");
  EXPECT_EQ(peer->requests[0].headers["x-token"], "t");
  ASSERT_EQ(peer->requests.size(), 4U);
  for (std::size_t i = 1; i < peer->requests.size(); ++i) {
    EXPECT_EQ(peer->requests[i].target, "/message?sessionId=s-1");
    EXPECT_EQ(peer->requests[i].headers["x-token"], "t");
  }
  EXPECT_EQ(old->counters().connections_opened, 2U) << "one for the stream, one for all messages";
}

TEST_F(SseSessionTest, TakesAnEndpointHoweverItIsWritten) {
  for (const char* endpoint : {"message?sessionId=s", "/message?sessionId=s",
                               "http://localhost:{port}/message?sessionId=s"}) {
    serve([](const json&) {}, endpoint);
    EXPECT_TRUE(session()->open(soon())) << endpoint;
    EXPECT_EQ(peer->requests[1].target, "/message?sessionId=s");
  }
}

TEST_F(SseSessionTest, DoesNotFollowAnEndpointToAnotherServer) {
  serve([](const json&) {}, "http://192.0.2.1/message");
  const auto opened = session()->open(soon());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::target);
  EXPECT_NE(opened.error().what.find("192.0.2.1"), std::string::npos) << opened.error().what;
  EXPECT_EQ(peer->requests.size(), 1U);
}

TEST_F(SseSessionTest, EndsEveryCallWhenTheStreamIsLost) {
  serve([](const json&) {});
  const auto old = session();
  ASSERT_TRUE(old->open(soon()));
  std::vector<Reply> replies;
  for (int i = 0; i < 3; ++i)
    old->start({"tools/list", "{}", {}}, soon(),
               [&](Reply&& reply) { replies.push_back(std::move(reply)); });
  poller->run_until([&] { return peer->requests.size() == 6; }, soon());
  peer->cut_stream();
  EXPECT_TRUE(poller->run_until([&] { return replies.size() == 3; }, soon()));
  for (const Reply& reply : replies) {
    ASSERT_TRUE(reply.error);
    EXPECT_NE(reply.error->what.find("event stream"), std::string::npos) << reply.error->what;
    EXPECT_EQ(outcome(reply), Outcome::failed);
  }
  EXPECT_TRUE(old->closed());
  EXPECT_TRUE(old->call({"tools/list", "{}", {}}, soon()).error);
}

TEST_F(SseSessionTest, ARefusedPostIsTheCallsAnswer) {
  serve([](const json&) {});
  const auto old = session();
  ASSERT_TRUE(old->open(soon()));
  status = 429;
  more_headers = "Retry-After: 12\r\n";
  const Reply reply = old->call({"tools/list", "{}", {}}, soon());
  const auto verdict = protocol::judge(reply.facts(false), {}, {});
  EXPECT_EQ(verdict.outcome, Outcome::refused);
  EXPECT_EQ(verdict.reason, "HTTP 429 (Retry-After: 12): Accepted");
  EXPECT_FALSE(old->closed());
}

TEST_F(SseSessionTest, CountsOnlyTheEventsOwnBytesAndInstants) {
  serve([this](const json& message) {
    if (!message.contains("id")) return;
    const std::string text = result_of(message, {{"tools", json::array()}}).dump();
    peer->push(chunk(": keep-alive\r\n\r\n"));
    poller->at(os::now() + 30ms, [this, text] {
      peer->push(
          chunk("data: " + text + "\r\n\r\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\r\r"));
    });
  });
  const auto old = session();
  ASSERT_TRUE(old->open(soon()));
  const Reply reply = old->call({"tools/list", "{}", {}}, soon());
  EXPECT_EQ(reply.wire_bytes, std::string("data: \r\n\r").size() + reply.message.size());
  EXPECT_GE(reply.first_byte - reply.sent, Duration(30ms)) << "a keep-alive is no first byte";
  EXPECT_EQ(old->counters().notifications, 1U) << "two events in one piece, lines ended two ways";
}

TEST_F(SseSessionTest, ACallThatIsNeverAnsweredHangs) {
  serve([](const json&) {});
  const auto old = session();
  ASSERT_TRUE(old->open(soon()));
  const Reply reply = old->call({"tools/list", "{}", {}}, os::now() + 50ms);
  EXPECT_TRUE(reply.hung);
  EXPECT_EQ(old->in_flight(), 0U);
}

TEST_F(SseSessionTest, AnswersWhatTheServerAsksAndOpensBatches) {
  serve([this](const json& message) {
    if (message.value("method", "") != "tools/list") return;
    peer->push_event(json::array({{{"jsonrpc", "2.0"}, {"id", "p"}, {"method", "ping"}},
                                  {{"jsonrpc", "2.0"}, {"method", "notifications/message"}},
                                  result_of(message, {{"tools", json::array()}})}));
  });
  const auto old = session();
  ASSERT_TRUE(old->open(soon()));
  EXPECT_EQ(outcome(old->call({"tools/list", "{}", {}}, soon())), Outcome::served);
  EXPECT_EQ(old->counters().notifications, 1U);
  EXPECT_EQ(old->counters().server_requests_answered, 1U);
  poller->run_until([&] { return peer->requests.size() == 5; }, soon());
  EXPECT_EQ(peer->requests.back().body, R"({"jsonrpc":"2.0","id":"p","result":{}})");
}

TEST_F(SseSessionTest, MayBeDestroyedFromWithinAnAnswer) {
  serve_all();
  auto old = session();
  ASSERT_TRUE(old->open(soon()));
  bool answered = false;
  for (int i = 0; i < 3; ++i)
    old->start({"tools/list", "{}", {}}, soon(), [&](Reply&&) {
      answered = true;
      old.reset();
    });
  EXPECT_TRUE(poller->run_until([&] { return answered; }, soon()));
  EXPECT_EQ(old, nullptr);
}

TEST_F(SseSessionTest, SaysWhatCameInsteadOfAStream) {
  struct Row {
    int status;
    std::string body, more, word;
  };
  for (const Row& row :
       {Row{429, "slow down", "Retry-After: 7\r\n", "Retry-After"},
        Row{401, "who", "", "credential"}, Row{200, "hello", "", "no event stream"}}) {
    peer.emplace(*poller, [&](const RawRequest&) {
      return respond(row.status, "text/plain", row.body, row.more);
    });
    const auto opened = session()->open(soon());
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::target);
    EXPECT_NE(describe(opened.error()).find(row.word), std::string::npos)
        << describe(opened.error());
  }
}

// --- detection ---------------------------------------------------------------------------------

TEST_F(SseSessionTest, IsFoundByItsUrlAlone) {
  serve_all();
  const auto detected = detect_over_http(*poller, access(), nullptr, {}, soon());
  ASSERT_TRUE(detected) << describe(detected.error());
  EXPECT_EQ(detected->dialect, HttpDialect::sse);
  EXPECT_EQ(to_string(detected->dialect), "http+sse");
  EXPECT_EQ(detected->era->name, "2025-11-25");
  EXPECT_EQ(detected->server.name, "old");
  EXPECT_NE(detected->evidence.find("Cannot POST /sse"), std::string::npos) << detected->evidence;
  EXPECT_NE(detected->evidence.find("initialize over HTTP+SSE: 2025-11-25"), std::string::npos);
}

TEST_F(SseSessionTest, IsNotSoughtBehindTheErrorOfAStatelessServer) {
  peer.emplace(*poller, [](const RawRequest& request) {
    if (request.method() == "server/discover") return respond(404, "text/plain", "no");
    return respond(400, "application/json",
                   R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"v","data":)"
                   R"({"supported":["2027-01-01"]}}})");
  });
  const auto detected = detect_over_http(*poller, access(), nullptr, {}, soon());
  ASSERT_FALSE(detected);
  EXPECT_NE(describe(detected.error()).find("2027-01-01"), std::string::npos)
      << describe(detected.error());
  EXPECT_EQ(peer->requests.size(), 2U);
}

TEST_F(SseSessionTest, NeitherKindOfHttpIsToldWithBothAnswers) {
  peer.emplace(*poller, [](const RawRequest& request) {
    return respond(request.verb == "GET" ? 405 : 404, "text/plain", request.verb + " is wrong");
  });
  const auto detected = detect_over_http(*poller, access(), nullptr, {}, soon());
  ASSERT_FALSE(detected);
  for (const char* words : {"initialize was answered with HTTP 404: POST is wrong",
                            "GET (HTTP+SSE) was answered with HTTP 405", "server/discover", "path"})
    EXPECT_NE(describe(detected.error()).find(words), std::string::npos)
        << describe(detected.error());
}

}  // namespace
}  // namespace weighbridge::client
