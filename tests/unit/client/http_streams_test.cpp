#include <gtest/gtest.h>

#include "client/session.h"
#include "http_session_fixture.h"
#include "peers.h"

namespace weighbridge::client {
namespace {

using protocol::Outcome;

// --- streams that break off, and the session's own ---------------------------------------------

TEST_F(HttpSessionTest, ReadsOnByGetWhenAStreamEndsBeforeTheAnswer) {
  serve([](const RawRequest& request) {
    if (request.verb == "GET")
      return stream(
          {"id: e-2\n" + event({{"jsonrpc", "2.0"}, {"id", 1}, {"result", {{"ok", 1}}}})});
    return stream({"id: e-1\nretry: 40\ndata:\n\n"});
  });
  const auto broken = session(legacy);
  const Instant begun = os::now();
  const Reply reply = broken->call({"tools/list", "{}", {}}, soon());
  EXPECT_EQ(outcome(reply), Outcome::served) << (reply.error ? reply.error->what : reply.message);
  EXPECT_GE(reply.done - begun, Duration(40ms)) << "it waits as long as the server asked for";
  EXPECT_LT(reply.first_byte - begun, Duration(40ms)) << "the first stream's instants stay";
  ASSERT_EQ(peer->requests.size(), 2U);
  EXPECT_EQ(peer->requests[1].headers["last-event-id"], "e-1");
  EXPECT_EQ(peer->requests[1].headers["accept"], "text/event-stream");
  EXPECT_EQ(broken->counters().streams_resumed, 1U);
}

TEST_F(HttpSessionTest, ReadsOnBehindTheLastWholeEventWhenTheConnectionBreaks) {
  serve([](const RawRequest& request) {
    if (request.verb == "GET")
      return stream({event({{"jsonrpc", "2.0"}, {"id", 1}, {"result", {{"ok", 1}}}})});
    RawAnswer cut = stream({"id: e-1\nretry: 1\n" + event({{"jsonrpc", "2.0"}, {"method", "n"}}),
                            "id: e-2\ndata: {\"jsonrpc\""});
    cut.pieces.pop_back();
    cut.close = true;
    return cut;
  });
  const auto broken = session(legacy);
  EXPECT_EQ(outcome(broken->call({"tools/list", "{}", {}}, soon())), Outcome::served);
  EXPECT_EQ(peer->requests[1].headers["last-event-id"], "e-1");
  EXPECT_EQ(broken->counters().notifications, 1U);
}

TEST_F(HttpSessionTest, SaysWhenAStreamCannotBeTakenUpAgain) {
  serve([](const RawRequest& request) {
    if (request.verb == "GET") return respond(405, "text/plain", "no");
    return stream({"id: e-1\nretry: 1\ndata:\n\n"});
  });
  const Reply reply = session(legacy)->call({"tools/list", "{}", {}}, soon());
  ASSERT_TRUE(reply.error);
  EXPECT_NE(reply.error->what.find("HTTP 405"), std::string::npos) << reply.error->what;
}

TEST_F(HttpSessionTest, DoesNotReadOnWhereThereIsNothingToReadOn) {
  serve([](const RawRequest& request) {
    if (request.message()["method"] == "a") return stream({"data:\n\n"});
    return stream({"id: e-1\ndata:\n\n"});
  });
  EXPECT_TRUE(session(legacy)->call({"a", "{}", {}}, soon()).error) << "no id was seen";
  EXPECT_TRUE(session(modern)->call({"b", "{}", {}}, soon()).error) << "the era has no GET";
  EXPECT_EQ(peer->requests.size(), 2U);
}

TEST_F(HttpSessionTest, AnswersOnItsOwnStreamWhatItDeclared) {
  serve([this](const RawRequest& request) {
    if (request.verb == "GET") return open_stream({": hello\n\n"});
    const json message = request.message();
    if (message.value("method", "") == "tools/call") {
      peer->push_event(
          {{"jsonrpc", "2.0"},
           {"id", "q"},
           {"method", "elicitation/create"},
           {"params", {{"requestedSchema", {{"properties", {{"n", {{"default", 3}}}}}}}}}});
      return stream({event(result_of(message, {{"content", json::array()}}))});
    }
    if (!message.contains("method")) return respond(202, "", "");
    return handshake_at(request, "2025-11-25");
  });
  SessionOptions options;
  options.era = legacy;
  options.capabilities.elicitation = true;
  const auto asked = Session::over_http(*poller, access(), options);
  ASSERT_TRUE(asked->open(soon()));
  EXPECT_EQ(peer->requests[0].message()["params"]["capabilities"],
            json::parse(R"({"elicitation":{}})"));
  ASSERT_EQ(peer->requests.back().verb, "GET");
  (void)asked->call({"tools/call", R"({"name":"t"})", "t"}, soon());
  poller->run_until([&] { return peer->requests.size() == 5; }, soon());
  EXPECT_EQ(peer->requests.back().message()["result"],
            json::parse(R"({"action":"accept","content":{"n":3}})"));
}

TEST_F(HttpSessionTest, OpensNoStreamOfItsOwnWhenItDeclaresNothing) {
  serve([](const RawRequest& request) { return handshake_at(request, "2025-11-25"); });
  const auto quiet = session(legacy);
  ASSERT_TRUE(quiet->open(soon()));
  EXPECT_EQ(peer->requests.size(), 2U);
  EXPECT_EQ(quiet->counters().connections_opened, 1U);
}

// --- arguments as headers, rounds, refusals ----------------------------------------------------

TEST_F(HttpSessionTest, SendsAnnotatedArgumentsAsHeadersAndDropsToolsThatMustNotBeCalled) {
  serve([](const RawRequest& request) {
    if (request.method() != "tools/list")
      return respond(request.message(), {{"content", json::array()}});
    return respond(request.message(), json::parse(R"({"ttlMs":60000,"tools":[
        {"name":"good","inputSchema":{"properties":{"r":{"type":"string","x-mcp-header":"Region"}}}},
        {"name":"bad","inputSchema":{"properties":{"r":{"type":"number","x-mcp-header":"R"}}}}]})"));
  });
  const auto stateless = session(modern);
  const auto tools = stateless->list("tools/list", soon(), true);
  ASSERT_TRUE(tools);
  EXPECT_EQ(tools->items, 2U) << "what is weighed is what was listed";
  ASSERT_EQ(tools->items_json.size(), 1U);
  ASSERT_EQ(tools->dropped.size(), 1U);
  EXPECT_TRUE(tools->dropped[0].starts_with("bad: ")) << tools->dropped[0];
  const auto call = call_of_tool(tools->items_json[0], R"({"r":"eu-1"})");
  ASSERT_TRUE(call);
  (void)stateless->call(*call, soon());
  EXPECT_EQ(peer->requests.back().headers["mcp-param-region"], "eu-1");
  EXPECT_EQ(peer->requests.back().headers["mcp-name"], "good");

  EXPECT_TRUE(stateless->list("tools/list", soon()));
  EXPECT_EQ(peer->requests.size(), 3U) << "ttlMs is not believed: a listing is asked for each time";

  serve([](const RawRequest& request) {
    if (request.method() == "tools/call") return respond(request.message(), json::object());
    return handshake_at(request, "2025-11-25");
  });
  const auto handshake = session(legacy);
  ASSERT_TRUE(handshake->open(soon()));
  (void)handshake->call(*call, soon());
  EXPECT_FALSE(peer->requests.back().headers.contains("mcp-param-region"));
}

TEST_F(HttpSessionTest, OffersTheNextRoundOnlyWhenItCanAnswer) {
  serve([](const RawRequest& request) {
    return respond(request.message(),
                   json::parse(R"({"resultType":"input_required","requestState":"x",
        "inputRequests":{"c":{"method":"roots/list"}}})"));
  });
  const Call call{"tools/call", R"({"name":"t"})", "t"};
  const auto silent = session(modern);
  const Reply reply = silent->call(call, soon());
  EXPECT_EQ(outcome(reply, true), Outcome::failed) << "one call is one request";
  EXPECT_FALSE(silent->next_round(call, reply));

  SessionOptions options;
  options.era = modern;
  options.capabilities.roots = true;
  const auto able = Session::over_http(*poller, access(), options);
  const Reply first = able->call(call, soon());
  const auto next = able->next_round(call, first);
  ASSERT_TRUE(next && *next);
  const Reply second = able->call(**next, soon());
  EXPECT_NE(first.id, second.id);
  const json params = peer->requests.back().message()["params"];
  EXPECT_EQ(params["requestState"], "x");
  EXPECT_EQ(params["inputResponses"], json::parse(R"({"c":{"roots":[]}})"));
}

TEST_F(HttpSessionTest, KeepsWhenToComeBackAndAsksOnce) {
  serve([](const RawRequest&) {
    return respond(429, "application/json",
                   R"({"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"slow"}})",
                   "Retry-After: 30\r\n");
  });
  const auto limited = session(modern);
  const auto verdict =
      protocol::judge(limited->call({"tools/list", "{}", {}}, soon()).facts(false), {}, {});
  EXPECT_EQ(verdict.outcome, Outcome::refused);
  EXPECT_EQ(verdict.reason, "HTTP 429 (Retry-After: 30): error -32000: slow");
  EXPECT_EQ(peer->requests.size(), 1U);

  const auto opened = session(legacy)->open(soon());
  ASSERT_FALSE(opened);
  EXPECT_NE(describe(opened.error()).find("Retry-After: 30"), std::string::npos)
      << describe(opened.error());
  const auto detected = detect_over_http(*poller, access(), nullptr, {}, soon());
  ASSERT_FALSE(detected);
  EXPECT_NE(describe(detected.error()).find("Retry-After: 30"), std::string::npos)
      << describe(detected.error());
}

TEST_F(HttpSessionTest, TellsAnUnknownMethodFromALostSession) {
  serve([](const RawRequest& request) {
    if (request.method() == "initialize") {
      RawAnswer answer = handshake_at(request, "2025-11-25");
      answer.pieces[0].insert(answer.pieces[0].find("\r\n") + 2, "Mcp-Session-Id: s\r\n");
      return answer;
    }
    if (request.method() == "unknown/method")
      return respond(404, "application/json",
                     json{{"jsonrpc", "2.0"},
                          {"id", request.message()["id"]},
                          {"error", {{"code", -32601}, {"message", "no"}}}}
                         .dump());
    return respond(request.method() == "tools/list" ? 404 : 202, "text/plain", "gone");
  });
  const auto lost = session(legacy);
  ASSERT_TRUE(lost->open(soon()));
  EXPECT_FALSE(lost->call({"unknown/method", "{}", {}}, soon()).error);
  EXPECT_TRUE(lost->call({"tools/list", "{}", {}}, soon()).error);
}

}  // namespace
}  // namespace weighbridge::client
