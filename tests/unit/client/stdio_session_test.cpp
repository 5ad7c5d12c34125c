#include <gtest/gtest.h>

#include <optional>

#include "client/session.h"
#include "peers.h"

namespace weighbridge::client {
namespace {

using protocol::Outcome;

class StdioSessionTest : public ::testing::Test {
 protected:
  std::unique_ptr<Session> session(StdioPeer::Script script, const protocol::Era* asked) {
    peer = std::make_unique<StdioPeer>(*poller, std::move(script));
    SessionOptions options;
    options.era = asked;
    return Session::over_stdio(*poller, peer->channel(), options);
  }
  static Instant soon() { return os::now() + 20s; }
  static Outcome outcome(const Reply& reply, bool tool_call = false) {
    return protocol::judge(reply.facts(tool_call), {}, {}).outcome;
  }
  void settle() {
    (void)poller->run_until([] { return false; }, os::now() + 20ms);
  }

  std::unique_ptr<os::Poller> poller = *os::Poller::create();
  std::unique_ptr<StdioPeer> peer;
  const protocol::Era* legacy = &protocol::newest_handshake_era();
  const protocol::Era* modern = &protocol::newest_era();
};

TEST_F(StdioSessionTest, LivesThroughAWholeSessionOfRealServers) {
  struct Row {
    std::string transcript, name;
    std::size_t tools;
    std::uint64_t notifications;
  };
  for (const Row& row : {Row{"everything-stdio-2025-11-25", "mcp-servers/everything", 13, 1},
                         Row{"filesystem-stdio-2025-11-25", "secure-filesystem-server", 14, 0},
                         Row{"context7-stdio-2025-11-25", "Context7", 2, 0}}) {
    const auto real = session(replay_stdio(row.transcript), legacy);
    ASSERT_TRUE(real->open(soon())) << row.transcript;
    EXPECT_EQ(real->server().name, row.name);
    const auto tools = real->list("tools/list", soon(), true);
    ASSERT_TRUE(tools) << describe(tools.error());
    EXPECT_EQ(tools->items, row.tools);
    EXPECT_EQ(tools->media, Media::stdio);
    EXPECT_EQ(tools->wire_bytes, tools->page_bytes.front() + 1);
    EXPECT_EQ(real->counters().notifications, row.notifications);
    EXPECT_EQ(real->counters().stray_messages, 0U);
    real->close(5s);
    EXPECT_TRUE(peer->saw_end());
    EXPECT_TRUE(real->closed());
  }
}

TEST_F(StdioSessionTest, SpeaksTheStatelessEraWithoutAHandshake) {
  const auto real = session(replay_stdio("context7-stdio-2026-07-28"), modern);
  ASSERT_TRUE(real->open(soon()));
  EXPECT_EQ(real->list("tools/list", soon())->items, 2U);
  ASSERT_EQ(peer->received.size(), 1U);
  EXPECT_TRUE(json::parse(peer->received[0])["params"]["_meta"].contains(
      "io.modelcontextprotocol/clientCapabilities"));
}

TEST_F(StdioSessionTest, SaysThatAListIsMissing) {
  const auto real = session(replay_stdio("filesystem-stdio-2025-11-25"), legacy);
  const auto resources = real->list("resources/list", soon());
  ASSERT_FALSE(resources);
  EXPECT_EQ(resources.error().code, ErrorCode::target);
  EXPECT_EQ(resources.error().what,
            "resources/list was answered with error -32601: Method not found");
}

TEST_F(StdioSessionTest, TakesAnswersInAnyOrder) {
  std::vector<json> waiting;
  const auto shuffled = session(
      [&](StdioPeer& it, const json& request) {
        waiting.push_back(request);
        if (waiting.size() < 3) return;
        for (const std::size_t i : {2, 0, 1})
          it.result(waiting[i], {{"n", waiting[i]["params"]["n"]}});
      },
      legacy);
  std::map<int, std::string> answers;
  for (int n = 0; n < 3; ++n)
    shuffled->start({"x", R"({"n":)" + std::to_string(n) + "}", {}}, soon(), [&, n](Reply&& reply) {
      EXPECT_EQ(outcome(reply), Outcome::served);
      answers[n] = reply.message;
    });
  EXPECT_EQ(shuffled->in_flight(), 3U);
  EXPECT_TRUE(poller->run_until([&] { return answers.size() == 3; }, soon()));
  for (int n = 0; n < 3; ++n) EXPECT_EQ(json::parse(answers[n])["result"]["n"], n);
  EXPECT_EQ(shuffled->in_flight(), 0U);
}

TEST_F(StdioSessionTest, CountsStrayMessagesAndNotificationsAndAnswersServerRequests) {
  const auto noisy = session(
      [](StdioPeer& it, const json& request) {
        if (!request.contains("method")) return;
        it.print("Server listening");
        it.print(R"({"jsonrpc":"2.0","id":77,"result":{}})");
        it.print(R"({"jsonrpc":"2.0","id":")" + std::to_string(request["id"].get<int>()) +
                 R"(","result":{}})");
        it.print(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
        it.print(R"({"jsonrpc":"2.0","id":"s-1","method":"ping"})");
        it.print(R"({"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{}})");
        it.result(request, json::object());
      },
      legacy);
  EXPECT_EQ(outcome(noisy->call({"tools/list", "{}", {}}, soon())), Outcome::served);
  EXPECT_EQ(noisy->counters().stray_messages, 3U);
  EXPECT_EQ(noisy->counters().notifications, 1U);
  EXPECT_EQ(noisy->counters().server_requests_answered, 2U);
  EXPECT_TRUE(poller->run_until([&] { return peer->received.size() == 3; }, soon()));
  EXPECT_EQ(peer->received[1], R"({"jsonrpc":"2.0","id":"s-1","result":{}})");
  EXPECT_EQ(json::parse(peer->received[2])["error"]["code"], -32601);
}

TEST_F(StdioSessionTest, ReadsABatch) {
  const auto batching = session(
      [](StdioPeer& it, const json& request) {
        it.say(json::array(
            {json{{"jsonrpc", "2.0"}, {"method", "notifications/x"}},
             json{{"jsonrpc", "2.0"}, {"id", request["id"]}, {"result", json::object()}}}));
      },
      legacy);
  EXPECT_EQ(outcome(batching->call({"tools/list", "{}", {}}, soon())), Outcome::served);
  EXPECT_EQ(batching->counters().notifications, 1U);
}

TEST_F(StdioSessionTest, EveryCallInFlightFailsWithTheReasonWhenTheChannelEnds) {
  const auto dying = session([](StdioPeer& it, const json&) { it.end(); }, legacy);
  int failed = 0;
  for (int i = 0; i < 3; ++i)
    dying->start({"x", "{}", {}}, soon(), [&](Reply&& reply) {
      ASSERT_TRUE(reply.error);
      EXPECT_EQ(reply.error->code, ErrorCode::closed);
      ++failed;
    });
  EXPECT_TRUE(poller->run_until([&] { return failed == 3; }, soon()));
  EXPECT_TRUE(dying->closed());
  EXPECT_EQ(outcome(dying->call({"x", "{}", {}}, soon())), Outcome::failed);
  dying->close(5s);
}

TEST_F(StdioSessionTest, HangsAtTheDeadlineAndTakesALateAnswerForAStray) {
  json late;
  const auto slow = session([&](StdioPeer&, const json& request) { late = request; }, legacy);
  const Reply reply = slow->call({"x", "{}", {}}, os::now() + 30ms);
  EXPECT_TRUE(reply.hung);
  EXPECT_EQ(slow->in_flight(), 0U);
  peer->result(late, json::object());
  EXPECT_TRUE(poller->run_until([&] { return slow->counters().stray_messages == 1; }, soon()));
}

TEST_F(StdioSessionTest, CloseWaitsForTheServerNoLongerThanItMay) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
  const os::Fd deaf(ends[1]);  // a child that neither reads nor ends
  const auto stubborn = Session::over_stdio(
      *poller,
      std::make_unique<transport::StdioChannel>(*poller, os::Fd(::dup(ends[0])), os::Fd(ends[0])),
      {});
  bool failed = false;
  stubborn->start({"x", "{}", {}}, soon(),
                  [&](Reply&& reply) { failed = reply.error.has_value(); });
  const Instant begun = os::now();
  stubborn->close(30ms);
  EXPECT_GE(os::now() - begun, 30ms);
  EXPECT_TRUE(failed);
  EXPECT_TRUE(stubborn->closed());
  stubborn->close(30ms);
  EXPECT_TRUE(stubborn->call({"x", "{}", {}}, soon()).error);
}

TEST_F(StdioSessionTest, SaysWhatStandsOnStdoutInsteadOfAnAnswer) {
  const auto garbage =
      session([](StdioPeer& it, const json&) { it.print("Welcome to my server!"); }, legacy);
  const auto opened = garbage->open(os::now() + 50ms);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::target);
  EXPECT_NE(opened.error().what.find("Welcome to my server!"), std::string::npos);
}

TEST_F(StdioSessionTest, AHandlerMayDestroyTheSession) {
  for (const bool ends : {false, true}) {
    auto doomed = session(
        [=](StdioPeer& it, const json& request) {
          if (ends) return it.end();
          it.say(json::array(
              {result_of(request, json::object()), result_of(request, json::object())}));
        },
        legacy);
    bool answered = false;
    for (int i = 0; i < 3; ++i)
      doomed->start({"x", "{}", {}}, soon(), [&](Reply&&) {
        doomed.reset();
        answered = true;
      });
    EXPECT_TRUE(poller->run_until([&] { return answered; }, soon()));
    settle();
  }
}

// --- lists -------------------------------------------------------------------------------------

TEST_F(StdioSessionTest, ReadsEveryPageAndTakesAnEmptyCursorForOne) {
  const auto paged = session(
      [](StdioPeer& it, const json& request) {
        const json& params = request["params"];
        if (!params.contains("cursor"))
          it.result(request, {{"tools", {{{"name", "a"}}, {{"name", "b"}}}}, {"nextCursor", ""}});
        else if (params["cursor"] == "")
          it.result(request, {{"tools", json::array()}, {"nextCursor", "x\"y\n"}});
        else
          it.result(request, {{"tools", {{{"name", "c"}}}}});
      },
      legacy);
  const auto tools = paged->list("tools/list", soon(), true);
  ASSERT_TRUE(tools) << describe(tools.error());
  EXPECT_EQ(tools->items, 3U);
  EXPECT_EQ(tools->page_bytes.size(), 3U);
  ASSERT_EQ(tools->items_json.size(), 3U);
  EXPECT_EQ(json::parse(tools->items_json[2])["name"], "c");
  EXPECT_EQ(json::parse(peer->received[2])["params"]["cursor"], "x\"y\n");
  EXPECT_LE(tools->first_sent, tools->done);
}

TEST_F(StdioSessionTest, GivesUpOnCursorsThatGoInCircles) {
  const auto circular = session(
      [](StdioPeer& it, const json& request) {
        it.result(request,
                  {{"tools", json::array()},
                   {"nextCursor", request["params"].value("cursor", "a") == "a" ? "b" : "a"}});
      },
      legacy);
  const auto tools = circular->list("tools/list", soon());
  ASSERT_FALSE(tools);
  EXPECT_NE(tools.error().what.find("circles"), std::string::npos);
}

TEST_F(StdioSessionTest, GivesUpOnAListWithoutEnd) {
  const auto endless = session(
      [n = 0](StdioPeer& it, const json& request) mutable {
        it.result(request, {{"tools", json::array()}, {"nextCursor", std::to_string(++n)}});
      },
      legacy);
  const auto tools = endless->list("tools/list", os::now() + 120s);
  ASSERT_FALSE(tools);
  EXPECT_NE(tools.error().what.find("more than 10000 pages"), std::string::npos);
}

TEST_F(StdioSessionTest, SaysWhichPageCannotBeRead) {
  const auto odd = session(
      [](StdioPeer& it, const json& request) { it.result(request, {{"items", json::array()}}); },
      legacy);
  const auto tools = odd->list("tools/list", soon());
  ASSERT_FALSE(tools);
  EXPECT_NE(tools.error().what.find("page 1 of tools/list"), std::string::npos);
}

}  // namespace
}  // namespace weighbridge::client
