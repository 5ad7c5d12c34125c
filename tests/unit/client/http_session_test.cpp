#include <gtest/gtest.h>

#include <optional>

#include "client/session.h"
#include "http_session_fixture.h"
#include "peers.h"
#include "protocol/message.h"

namespace weighbridge::client {
namespace {

using protocol::era;
using protocol::Outcome;
using protocol::Revision;

// --- real servers, replayed --------------------------------------------------------------------

TEST_F(HttpSessionTest, LivesThroughAWholeSessionOfServerEverything) {
  serve(replay_http("everything-http-2025-11-25"));
  const auto everything = session(legacy);
  ASSERT_TRUE(everything->open(soon()));
  EXPECT_EQ(everything->server().name, "mcp-servers/everything");
  EXPECT_EQ(everything->server().revisions, std::vector<std::string>{"2025-11-25"});
  const auto tools = everything->list("tools/list", soon(), true);
  ASSERT_TRUE(tools) << describe(tools.error());
  EXPECT_EQ(tools->items, 13U);
  EXPECT_EQ(tools->items_json.size(), 13U);
  EXPECT_EQ(tools->media, Media::sse);
  EXPECT_GT(tools->wire_bytes, tools->page_bytes.front());
  const Reply echo = everything->call({"tools/call", R"({"name":"echo"})", "echo"}, soon());
  EXPECT_EQ(outcome(echo, true), Outcome::served);
  const Reply wrong = everything->call({"tools/call", R"({"name":"get-sum"})", "get-sum"}, soon());
  EXPECT_EQ(outcome(wrong, true), Outcome::failed);
  everything->close(5s);
  EXPECT_TRUE(everything->closed());

  ASSERT_EQ(peer->requests.size(), 6U);
  EXPECT_FALSE(peer->requests[0].headers.contains("mcp-protocol-version"));
  EXPECT_FALSE(peer->requests[0].headers.contains("mcp-session-id"));
  EXPECT_EQ(peer->requests[1].method(), "notifications/initialized");
  const std::string id = peer->requests[1].headers["mcp-session-id"];
  EXPECT_EQ(id.size(), 36U);
  for (std::size_t i = 1; i < peer->requests.size(); ++i) {
    EXPECT_EQ(peer->requests[i].headers["mcp-session-id"], id);
    EXPECT_EQ(peer->requests[i].headers["mcp-protocol-version"], "2025-11-25");
  }
  EXPECT_EQ(peer->requests.back().verb, "DELETE");
  EXPECT_EQ(everything->counters().connections_opened, 1U);
  EXPECT_EQ(everything->counters().stray_messages, 0U);
}

TEST_F(HttpSessionTest, ReadsAnEventStreamThatArrivesByteByByte) {
  serve(replay_http("everything-http-2025-11-25", 1));
  const auto everything = session(legacy);
  ASSERT_TRUE(everything->open(soon()));
  EXPECT_EQ(everything->list("tools/list", soon())->items, 13U);
}

TEST_F(HttpSessionTest, SpeaksToContext7InBothEras) {
  serve(replay_http("context7-http-2026-07-28"));
  const auto stateless = session(modern);
  ASSERT_TRUE(stateless->open(soon()));
  EXPECT_TRUE(peer->requests.empty()) << "a stateless era has no handshake";
  const auto modern_tools = stateless->list("tools/list", soon());
  ASSERT_TRUE(modern_tools);
  EXPECT_EQ(modern_tools->items, 2U);
  EXPECT_EQ(modern_tools->media, Media::json);
  EXPECT_EQ(peer->requests[0].headers["mcp-method"], "tools/list");
  EXPECT_EQ(peer->requests[0].headers["mcp-protocol-version"], "2026-07-28");
  EXPECT_TRUE(peer->requests[0].message()["params"].contains("_meta"));
  stateless->close(1s);
  EXPECT_EQ(peer->requests.size(), 1U) << "nothing to delete";

  serve(replay_http("context7-http-2025-11-25"));
  const auto handshake = session(legacy);
  ASSERT_TRUE(handshake->open(soon()));
  EXPECT_EQ(handshake->list("tools/list", soon())->media, Media::sse);
}

TEST_F(HttpSessionTest, SendsTheNameOfWhatIsCalledEncodedWhereItMustBe) {
  serve([](const RawRequest& request) { return respond(request.message(), json::object()); });
  session(modern)->call({"tools/call", R"({"name":"écho"})", "écho"}, soon());
  EXPECT_EQ(peer->requests[0].headers["mcp-name"], "=?base64?w6ljaG8=?=");
}

// --- handshake ---------------------------------------------------------------------------------

TEST_F(HttpSessionTest, RefusesAnotherRevisionThanTheOneAskedFor) {
  serve([](const RawRequest& request) { return handshake_at(request, "2024-11-05"); });
  const auto opened = session(legacy)->open(soon());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::target);
  for (const char* word : {"2025-11-25", "2024-11-05", "127.0.0.1"})
    EXPECT_NE(describe(opened.error()).find(word), std::string::npos) << describe(opened.error());
}

TEST_F(HttpSessionTest, TakesWhatTheServerOffersWhenNothingIsAskedFor) {
  serve([](const RawRequest& request) { return handshake_at(request, "2025-06-18"); });
  const auto negotiated = session(nullptr);
  ASSERT_TRUE(negotiated->open(soon()));
  EXPECT_EQ(negotiated->era().name, "2025-06-18");
  (void)negotiated->call({"tools/list", "{}", {}}, soon());
  EXPECT_EQ(peer->requests.back().headers["mcp-protocol-version"], "2025-06-18");
}

TEST_F(HttpSessionTest, SaysWhatCameInsteadOfAHandshake) {
  struct Row {
    int status;
    std::string body, word;
  };
  for (const Row& row : {Row{401, "who are you", "credential"},
                         Row{404, "<html>Not Found</html>", "path"}, Row{200, "hello", "malformed"},
                         Row{202, "", "without an answer"}, Row{307, "", "Redirect"}}) {
    serve([&](const RawRequest&) { return respond(row.status, "text/html", row.body); });
    const auto opened = session(legacy)->open(soon());
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::target);
    EXPECT_NE(describe(opened.error()).find(row.word), std::string::npos)
        << describe(opened.error());
  }
}

TEST_F(HttpSessionTest, FailsToOpenWhenInitializedIsRefused) {
  serve([](const RawRequest& request) {
    if (request.method().starts_with("notifications/")) return respond(400, "", "no session");
    return handshake_at(request, "2025-11-25");
  });
  const auto opened = session(legacy)->open(soon());
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().what.find("notifications/initialized"), std::string::npos);
}

TEST_F(HttpSessionTest, NeverUsesAnIdTwiceOnAnyConnection) {
  serve([](const RawRequest& request) { return handshake_at(request, "2025-11-25"); });
  const auto busy = session(legacy);
  ASSERT_TRUE(busy->open(soon()));
  int answered = 0;
  for (int i = 0; i < 20; ++i)
    busy->start({"tools/list", "{}", {}}, soon(), [&](Reply&& reply) {
      EXPECT_EQ(outcome(reply), Outcome::served);
      ++answered;
    });
  EXPECT_EQ(busy->in_flight(), 20U);
  EXPECT_TRUE(poller->run_until([&] { return answered == 20; }, soon()));
  EXPECT_EQ(busy->in_flight(), 0U);
  EXPECT_GT(peer->accepted, 1U);
  std::set<int> ids;
  for (const RawRequest& request : peer->requests)
    if (request.message().contains("id")) ids.insert(request.message()["id"].get<int>());
  EXPECT_EQ(ids.size(), 21U);
}

// --- event streams -----------------------------------------------------------------------------

TEST_F(HttpSessionTest, AnswersServerRequestsAndCountsNotificationsOnTheStream) {
  serve([](const RawRequest& request) {
    const json message = request.message();
    if (!message.contains("method")) return respond(202, "", "");
    return stream({"id: 1\ndata:\n\n", ": keep-alive\n\n",
                   event({{"jsonrpc", "2.0"}, {"id", 1}, {"method", "ping"}}),
                   event({{"jsonrpc", "2.0"}, {"id", "r"}, {"method", "roots/list"}}),
                   event({{"jsonrpc", "2.0"}, {"method", "notifications/message"}}),
                   event({{"jsonrpc", "2.0"}, {"id", 99}, {"result", json::object()}}),
                   event(result_of(message, {{"fine", true}}))});
  });
  const auto chatty = session(legacy);
  const Reply reply = chatty->call({"tools/list", "{}", {}}, soon());
  EXPECT_EQ(outcome(reply), Outcome::served);
  EXPECT_GE(reply.done, reply.first_event);
  EXPECT_GE(reply.first_event, reply.first_byte);
  EXPECT_GE(reply.first_byte, reply.sent);
  EXPECT_TRUE(poller->run_until([&] { return peer->requests.size() == 3; }, soon()));
  EXPECT_EQ(peer->requests[1].message(),
            json({{"jsonrpc", "2.0"}, {"id", 1}, {"result", json::object()}}));
  EXPECT_EQ(peer->requests[2].message()["error"]["code"], -32601);
  EXPECT_EQ(peer->requests[2].message()["id"], "r");
  EXPECT_EQ(chatty->counters().notifications, 1U);
  EXPECT_EQ(chatty->counters().server_requests_answered, 2U);
  EXPECT_EQ(chatty->counters().stray_messages, 1U);
}

TEST_F(HttpSessionTest, FailsWhenTheStreamEndsWithoutTheAnswerAndKeepsTheConnection) {
  serve([calls = 0](const RawRequest& request) mutable {
    if (++calls == 1) return stream({event({{"jsonrpc", "2.0"}, {"method", "notifications/x"}})});
    return respond(request.message(), json::object());
  });
  const auto broken = session(legacy);
  const Reply reply = broken->call({"tools/list", "{}", {}}, soon());
  ASSERT_TRUE(reply.error);
  EXPECT_NE(reply.error->what.find("without the answer"), std::string::npos);
  EXPECT_EQ(outcome(reply), Outcome::failed);
  EXPECT_EQ(outcome(broken->call({"tools/list", "{}", {}}, soon())), Outcome::served);
  EXPECT_EQ(broken->counters().connections_opened, 1U);
}

TEST_F(HttpSessionTest, ReusesOneConnectionWhenTheCallerSendsFromTheCallback) {
  serve([](const RawRequest& request) {
    return stream({event(result_of(request.message(), json::object()))});
  });
  const auto loop = session(legacy);
  int answered = 0;
  Session::OnReply again = [&](Reply&&) {
    if (++answered < 10) loop->start({"tools/list", "{}", {}}, soon(), again);
  };
  loop->start({"tools/list", "{}", {}}, soon(), again);
  EXPECT_TRUE(poller->run_until([&] { return answered == 10; }, soon()));
  EXPECT_EQ(loop->counters().connections_opened, 1U);
}

TEST_F(HttpSessionTest, DoesNotWaitForAStreamThatStaysOpenBehindTheAnswer) {
  serve([](const RawRequest& request) {
    RawAnswer answer = stream({event(result_of(request.message(), json::object()))});
    answer.pieces.pop_back();  // no last chunk
    return answer;
  });
  const auto open_ended = session(legacy);
  const Instant deadline = os::now() + 60s;
  const Reply reply = open_ended->call({"tools/list", "{}", {}}, deadline);
  EXPECT_EQ(outcome(reply), Outcome::served);
  EXPECT_LT(os::now(), deadline - 30s);
}

TEST_F(HttpSessionTest, ReadsBatchesAsBodyAndAsEvent) {
  serve([](const RawRequest& request) {
    const json batch = json::array({json{{"jsonrpc", "2.0"}, {"method", "notifications/x"}},
                                    result_of(request.message(), {{"tools", json::array()}})});
    return request.message()["id"].get<int>() % 2 == 1
               ? respond(200, "application/json", batch.dump())
               : stream({event(batch)});
  });
  const auto batching = session(&era(Revision::v2025_03_26));
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(outcome(batching->call({"tools/list", "{}", {}}, soon())), Outcome::served);
  EXPECT_EQ(batching->counters().notifications, 2U);
}

// --- trouble -----------------------------------------------------------------------------------

TEST_F(HttpSessionTest, HangsAtTheDeadlineAndGoesOnWithAnotherConnection) {
  serve([calls = 0](const RawRequest& request) mutable {
    if (++calls == 1) return RawAnswer{};
    return respond(request.message(), json::object());
  });
  const auto slow = session(modern);
  const Instant deadline = os::now() + 50ms;
  const Reply reply = slow->call({"tools/list", "{}", {}}, deadline);
  EXPECT_TRUE(reply.hung);
  EXPECT_FALSE(reply.error);
  EXPECT_GE(reply.done, deadline);
  EXPECT_EQ(outcome(reply), Outcome::hung);
  EXPECT_EQ(outcome(slow->call({"tools/list", "{}", {}}, soon())), Outcome::served);
  EXPECT_EQ(slow->counters().connections_opened, 2U);
}

TEST_F(HttpSessionTest, HalfABodyFails) {
  serve([](const RawRequest&) {
    return RawAnswer{.pieces = {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                "Content-Length: 100\r\n\r\n{\"jsonrpc\":"},
                     .close = true};
  });
  const Reply reply = session(modern)->call({"tools/list", "{}", {}}, soon());
  EXPECT_TRUE(reply.error);
  EXPECT_EQ(outcome(reply), Outcome::failed);
}

TEST_F(HttpSessionTest, TellsALostSessionFromAWrongPath) {
  serve([](const RawRequest& request) {
    RawAnswer answer = handshake_at(request, "2025-11-25");
    if (request.method() == "initialize")
      answer = respond(200, "application/json",
                       result_of(request.message(), {{"protocolVersion", "2025-11-25"}}).dump(),
                       "Mcp-Session-Id: s-1\r\n");
    if (request.method() == "tools/list") answer = respond(404, "text/plain", "gone");
    return answer;
  });
  const auto lost = session(legacy);
  ASSERT_TRUE(lost->open(soon()));
  const Reply reply = lost->call({"tools/list", "{}", {}}, soon());
  ASSERT_TRUE(reply.error);
  EXPECT_NE(reply.error->what.find("session was lost"), std::string::npos);

  const Reply elsewhere = session(modern)->call({"tools/list", "{}", {}}, soon());
  EXPECT_FALSE(elsewhere.error);
  EXPECT_EQ(outcome(elsewhere), Outcome::failed);
}

TEST_F(HttpSessionTest, ReportsAServerThatIsNotThere) {
  serve([](const RawRequest&) { return RawAnswer{}; });
  HttpAccess nowhere = access();
  peer.reset();
  SessionOptions options;
  options.era = modern;
  const auto gone = Session::over_http(*poller, nowhere, options);
  const Reply reply = gone->call({"tools/list", "{}", {}}, soon());
  ASSERT_TRUE(reply.error);
  EXPECT_EQ(reply.error->code, ErrorCode::system);
  const auto listing = gone->list("tools/list", soon());
  ASSERT_FALSE(listing);
  EXPECT_EQ(listing.error().code, ErrorCode::target);
  EXPECT_NE(describe(listing.error()).find(std::to_string(nowhere.url.port)), std::string::npos);
}

TEST_F(HttpSessionTest, KeepsTheQueryOfTheUrlOutOfItsMessages) {
  serve([](const RawRequest&) { return respond(404, "", ""); });
  HttpAccess with_key = access();
  with_key.url.target = "/mcp?key=secret";
  const auto listing = Session::over_http(*poller, with_key, {})->list("tools/list", soon());
  ASSERT_FALSE(listing);
  EXPECT_EQ(describe(listing.error()).find("secret"), std::string::npos);
  EXPECT_NE(describe(listing.error()).find("/mcp?…"), std::string::npos);
}

TEST_F(HttpSessionTest, SendsNothingThatStillWaitedWhenItIsClosed) {
  serve([](const RawRequest&) { return RawAnswer{}; });
  const auto crowded = session(modern);
  for (int i = 0; i < 20; ++i) crowded->start({"tools/list", "{}", {}}, soon(), [](Reply&&) {});
  EXPECT_TRUE(poller->run_until([&] { return peer->requests.size() == 4; }, soon()));
  crowded->close(1s);
  (void)poller->run_until([] { return false; }, os::now() + 30ms);
  EXPECT_EQ(peer->requests.size(), 4U);
  EXPECT_EQ(crowded->counters().connections_opened, 4U);
}

TEST_F(HttpSessionTest, SendsThePlansHeadersAndLetsThemReplaceOurs) {
  serve([](const RawRequest& request) { return respond(request.message(), json::object()); });
  HttpAccess with_headers = access();
  with_headers.headers = {{"PRIVATE-TOKEN", "t-0"}, {"accept", "application/json"}};
  SessionOptions options;
  options.era = modern;
  (void)Session::over_http(*poller, with_headers, options)->call({"tools/list", "{}", {}}, soon());
  EXPECT_EQ(peer->requests[0].headers["private-token"], "t-0");
  EXPECT_EQ(peer->requests[0].headers["accept"], "application/json");
}

// --- the end -----------------------------------------------------------------------------------

TEST_F(HttpSessionTest, CallsInFlightFailWhenItIsClosed) {
  serve([](const RawRequest&) { return RawAnswer{}; });
  const auto closing = session(modern);
  std::optional<Reply> reply;
  closing->start({"tools/list", "{}", {}}, soon(), [&](Reply&& it) { reply = std::move(it); });
  closing->close(1s);
  ASSERT_TRUE(reply && reply->error);
  EXPECT_EQ(reply->error->code, ErrorCode::closed);
  EXPECT_EQ(closing->in_flight(), 0U);
}

TEST_F(HttpSessionTest, NothingCanBeStartedOnAClosedSessionButEveryCallIsAnswered) {
  serve([](const RawRequest&) { return RawAnswer{}; });
  const auto closed = session(modern);
  closed->close(1s);
  closed->close(1s);
  const Reply reply = closed->call({"tools/list", "{}", {}}, soon());
  ASSERT_TRUE(reply.error);
  EXPECT_EQ(reply.error->code, ErrorCode::closed);
  EXPECT_TRUE(peer->requests.empty());
}

TEST_F(HttpSessionTest, AbortEndsABlockingCall) {
  serve([](const RawRequest&) { return RawAnswer{}; });
  const auto aborted = session(modern);
  poller->at(os::now() + 10ms,
             [&] { aborted->abort({ErrorCode::interrupted, "interrupted", {}, {}, 0}); });
  const Reply reply = aborted->call({"tools/list", "{}", {}}, soon());
  ASSERT_TRUE(reply.error);
  EXPECT_EQ(reply.error->code, ErrorCode::interrupted);
  EXPECT_TRUE(aborted->closed());
}

TEST_F(HttpSessionTest, AHandlerMayDestroyTheSession) {
  for (const bool as_stream : {false, true}) {
    serve([=](const RawRequest& request) {
      return as_stream ? stream({event(result_of(request.message(), json::object()))})
                       : respond(request.message(), json::object());
    });
    auto doomed = session(legacy);
    bool answered = false;
    for (int i = 0; i < 3; ++i)
      doomed->start({"tools/list", "{}", {}}, soon(), [&](Reply&&) {
        doomed.reset();
        answered = true;
      });
    EXPECT_TRUE(poller->run_until([&] { return answered; }, soon()));
    (void)poller->run_until([] { return false; }, os::now() + 20ms);
  }
}

TEST_F(HttpSessionTest, AnInterruptedStreamStillDeletesTheSessionAtTheEnd) {
  serve([](const RawRequest& request) {
    if (request.verb == "DELETE") return respond(204, "", "");
    if (request.method() != "initialize")
      return RawAnswer{{"HTTP/1.1 202 X\r\nContent-Length: 0\r\n\r\n"}};
    return respond(200, "application/json",
                   result_of(request.message(), {{"protocolVersion", "2025-11-25"}}).dump(),
                   "Mcp-Session-Id: s-1\r\n");
  });
  const auto aborted = session(legacy);
  ASSERT_TRUE(aborted->open(soon()));
  aborted->abort({ErrorCode::interrupted, "interrupted", {}, {}, 0});
  aborted->close(5s);
  EXPECT_EQ(peer->requests.back().verb, "DELETE");
  EXPECT_EQ(peer->requests.back().headers["mcp-session-id"], "s-1");
}

}  // namespace
}  // namespace weighbridge::client
