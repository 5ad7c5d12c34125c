#include "load/engine.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "os/limits.h"
#include "os/real_clock.h"
#include "raw_server.h"

namespace weighbridge::load {
namespace {

using protocol::Outcome;
using Answer = RawServer::Answer;
using testing::HasSubstr;

class EngineTest : public testing::Test {
 protected:
  EngineTest() {
    Operation operation;
    operation.method = "tools/call";
    operation.name = "echo";
    operation.params = {R"({"name":"echo","arguments":{}})"};
    spec_.operations = {operation};
    spec_.requests = 40;
    options_.parallel = 2;
  }

  PhaseOutcome run(const RawServer& server, std::size_t callers = 1) {
    std::vector<Caller> list;
    for (std::size_t i = 0; i < callers; ++i) list.push_back(server.caller());
    auto engine = Engine::open(std::move(list), options_);
    EXPECT_TRUE(engine) << (engine ? "" : describe(engine.error()));
    return run(**engine);
  }
  PhaseOutcome run(Engine& engine) {
    auto outcome = engine.run(spec_, *poller_, [this](const Live::Reading&) { return !stopped_; });
    EXPECT_TRUE(outcome);
    return std::move(*outcome);
  }
  static std::string first_text(const PhaseOutcome& outcome) {
    return outcome.troubles.empty() ? "" : outcome.troubles.front().first_text;
  }

  std::unique_ptr<os::Poller> poller_ = std::move(*os::Poller::create());
  EngineOptions options_;
  Spec spec_;
  std::atomic<bool> stopped_{false};
};

TEST_F(EngineTest, ServesEveryCallThatIsAnsweredAndNumbersThem) {
  RawServer server([](auto id, auto) { return Answer{http(200, answer(id))}; });
  const PhaseOutcome outcome = run(server);
  EXPECT_EQ(outcome.of(Outcome::served), 40U);
  EXPECT_EQ(outcome.sent(), 40U);
  EXPECT_EQ(outcome.samples.size(), 40U);
  EXPECT_EQ(server.requests(), 40);
  EXPECT_EQ(server.connections(), 2);
  std::set<std::string> bodies;
  for (const std::string& body : server.bodies()) bodies.insert(body);
  EXPECT_EQ(bodies.size(), 40U) << "an id was used twice";
}

// The hostile matrix: each kind of reply lands in its own outcome, with its own words and latency.

struct Hostile {
  const char* name;
  RawServer::Behaviour behaviour;
  Outcome outcome;
  const char* words;
};

std::string chunked_events(std::string_view events) {
  return fmt::format(
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
      "{:x}\r\n{}\r\n0\r\n\r\n",
      events.size(), events);
}

const Hostile kHostile[] = {
    {"Json", [](auto id, auto) { return Answer{http(200, answer(id))}; }, Outcome::served, ""},
    {"Event",
     [](auto id, auto) {
       return Answer{chunked_events("event: message\ndata: " + answer(id) + "\n\n")};
     },
     Outcome::served, ""},
    {"NotificationsBeforeTheAnswer",
     [](auto id, auto) {
       return Answer{chunked_events(
           "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\ndata: " +
           answer(id) + "\n\n")};
     },
     Outcome::served, ""},
    {"TooMany", [](auto, auto) { return Answer{http(429, "slow down")}; }, Outcome::refused,
     "HTTP 429: slow down"},
    {"Unavailable", [](auto, auto) { return Answer{http(503, "")}; }, Outcome::refused, "HTTP 503"},
    {"ServerError", [](auto, auto) { return Answer{http(500, "oops")}; }, Outcome::failed,
     "HTTP 500: oops"},
    {"JsonRpcError",
     [](auto id, auto) {
       return Answer{http(
           200,
           fmt::format(
               R"({{"jsonrpc":"2.0","id":{},"error":{{"code":-32603,"message":"broken"}}}})", id))};
     },
     Outcome::failed, "broken"},
    {"IsError",
     [](auto id, auto) {
       return Answer{http(
           200, answer(id, R"({"content":[{"type":"text","text":"no luck"}],"isError":true})"))};
     },
     Outcome::failed, "isError: no luck"},
    {"WrongId", [](auto, auto) { return Answer{http(200, answer("1"))}; }, Outcome::failed,
     "answer to another request"},
    {"WrongIdInAnEvent",
     [](auto, auto) { return Answer{chunked_events("data: " + answer("1") + "\n\n")}; },
     Outcome::failed, "answer to another request"},
    {"EmptyOk", [](auto, auto) { return Answer{http(200, "")}; }, Outcome::failed,
     "HTTP 200 without an answer"},
    {"NotJson", [](auto, auto) { return Answer{http(200, "<html>")}; }, Outcome::failed,
     "malformed"},
    {"HalfABody",
     [](auto id, auto) {
       const std::string whole = http(200, answer(id));
       return Answer{whole.substr(0, whole.size() - 10), true};
     },
     Outcome::failed, "in the middle of the reply's body"},
    {"HalfAHead", [](auto, auto) { return Answer{"HTTP/1.1 200 O", true}; }, Outcome::failed,
     "in the middle of the reply's head"},
    {"NotHttp", [](auto, auto) { return Answer{"SSH-2.0-OpenSSH\r\n", true}; }, Outcome::failed,
     "not HTTP/1.1"},
    {"StreamWithoutTheAnswer",
     [](auto, auto) {
       return Answer{chunked_events("data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n")};
     },
     Outcome::failed, "ended without the answer"},
    {"StreamThatEndsAmidTheAnswer",
     [](auto id, auto) { return Answer{chunked_events("data: " + answer(id))}; }, Outcome::failed,
     "ended amid an event"},
};

class HostileReply : public EngineTest, public testing::WithParamInterface<Hostile> {};

TEST_P(HostileReply, LandsInItsOwnOutcomeWithItsOwnLatency) {
  RawServer server(GetParam().behaviour);
  const PhaseOutcome outcome = run(server);
  EXPECT_EQ(outcome.of(GetParam().outcome), 40U) << first_text(outcome);
  EXPECT_EQ(outcome.sent(), 40U);
  EXPECT_THAT(first_text(outcome), HasSubstr(GetParam().words));
  const auto latencies = collect(
      outcome.samples, [](const Sample::Parts& call) { return call.outcome == GetParam().outcome; },
      [](const Sample::Parts& call) { return call.latency; });
  EXPECT_EQ(latencies.size(), 40U);
  EXPECT_EQ(outcome.served_in_window, GetParam().outcome == Outcome::served ? 40U : 0U);
  EXPECT_EQ(server.requests(), 40);
}

INSTANTIATE_TEST_SUITE_P(Matrix, HostileReply, testing::ValuesIn(kHostile),
                         [](const auto& each) { return each.param.name; });

TEST_F(EngineTest, CountsACallThatIsNeverAnsweredAsHungAtItsDeadline) {
  RawServer server([n = 0](auto id, auto) mutable {
    return n++ % 10 == 0 ? Answer{} : Answer{http(200, answer(id))};
  });
  spec_.call_timeout = 200ms;
  const PhaseOutcome outcome = run(server);
  EXPECT_EQ(outcome.of(Outcome::hung), 4U);
  EXPECT_EQ(outcome.of(Outcome::served), 36U);
  const auto hung = collect(
      outcome.samples, [](const Sample::Parts& call) { return call.outcome == Outcome::hung; },
      [](const Sample::Parts& call) { return call.latency; });
  EXPECT_GE(*hung.percentile(0), Duration(200ms).count());
}

TEST_F(EngineTest, TellsAServerThatHangsUpAtOnceFromOneThatAnswers) {
  RawServer server([](auto, auto) { return Answer{"", true}; });
  const PhaseOutcome outcome = run(server);
  EXPECT_EQ(outcome.of(Outcome::failed), 40U);
  EXPECT_THAT(first_text(outcome), HasSubstr("closed the connection without a reply"));
}

TEST_F(EngineTest, SendsAgainOnceWhenAKeptConnectionWasClosedInTheMeantime) {
  // Every answer is the connection's last, and nothing says so.
  RawServer server([](auto id, auto) { return Answer{http(200, answer(id)), true}; });
  const PhaseOutcome outcome = run(server);
  EXPECT_EQ(outcome.of(Outcome::served), 40U) << first_text(outcome);
}

TEST_F(EngineTest, ReplacesAConnectionThatTheServerSaysItCloses) {
  RawServer server([](auto id, auto) {
    std::string bytes = http(200, answer(id));
    bytes.insert(bytes.find("\r\n") + 2, "Connection: close\r\n");
    return Answer{bytes, true};
  });
  const PhaseOutcome outcome = run(server);
  EXPECT_EQ(outcome.of(Outcome::served), 40U);
  EXPECT_EQ(outcome.resets_retried, 0U);
}

TEST_F(EngineTest, CutsOffAStreamThatGoesOnAfterItsAnswer) {
  RawServer server([](auto id, auto) {
    const std::string events = "data: " + answer(id) + "\n\n";
    return Answer{
        fmt::format("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{}\r\n",
                    events.size(), events)};
  });
  spec_.requests = 6;
  const PhaseOutcome outcome = run(server);
  EXPECT_EQ(outcome.of(Outcome::served), 6U) << first_text(outcome);
}

TEST_F(EngineTest, CatchesAReplyThatBelongsToAnotherCallByItsNonce) {
  spec_.operations[0].params = {R"({"name":"echo","arguments":{"message":"{nonce}"}})"};
  std::string earlier;
  RawServer server([&earlier](auto id, std::string_view body) {
    const auto at = body.find("\"message\":\"") + 11;
    const std::string nonce(body.substr(at, 16));
    const std::string shown = earlier.empty() ? nonce : earlier;
    if (earlier.empty()) earlier = nonce;
    return Answer{http(200, answer(id, fmt::format(R"({{"text":"{}"}})", shown)))};
  });
  const PhaseOutcome outcome = run(server);
  EXPECT_EQ(outcome.of(Outcome::served), 1U);
  EXPECT_EQ(outcome.of(Outcome::failed), 39U);
  EXPECT_THAT(first_text(outcome), HasSubstr("the answer to another call"));
}

TEST_F(EngineTest, FindsAnErrorAtTheEndOfALongReply) {
  const std::string padding(300'000, 'x');
  RawServer server([&](auto id, auto) {
    return Answer{http(
        200,
        answer(id, fmt::format(R"({{"content":[{{"type":"text","text":"{}"}}],"isError":true}})",
                               padding)))};
  });
  spec_.check_every = 1'000'000;
  spec_.requests = 10;
  const PhaseOutcome outcome = run(server);
  EXPECT_EQ(outcome.of(Outcome::failed), 10U);
}

TEST_F(EngineTest, ParsesTheFirstReplyWholeAndThenOneInSoMany) {
  const std::string broken = R"({"content":[{"type":"text","text":"unended}],"isError":false})";
  RawServer server([&](auto id, auto) { return Answer{http(200, answer(id, broken))}; });
  spec_.check_every = 1'000'000;
  const PhaseOutcome seldom = run(server);
  EXPECT_EQ(seldom.of(Outcome::failed), 1U) << "the first is parsed whole, the others are not";
  spec_.check_every = 1;
  const PhaseOutcome always = run(server);
  EXPECT_EQ(always.of(Outcome::failed), 40U);
  EXPECT_EQ(always.operations[0].checked_whole, 40U);
}

TEST_F(EngineTest, HoldsResultsAgainstTheFirstOneWhereTheyMustBeTheSame) {
  RawServer server([n = 0](auto id, auto) mutable {
    return Answer{http(200, answer(id, n++ == 7 ? R"({"a":2})" : R"({"a":1})"))};
  });
  spec_.check_every = 1;
  spec_.operations[0].expect.same_result = true;
  options_.parallel = 1;
  const PhaseOutcome outcome = run(server);
  EXPECT_EQ(outcome.of(Outcome::served), 39U);
  EXPECT_THAT(first_text(outcome), HasSubstr("not the first one's"));
}

TEST_F(EngineTest, MixesOperationsByWeightAndTheSameWayForTheSameSeed) {
  RawServer server([](auto id, auto) { return Answer{http(200, answer(id))}; });
  Operation list;
  list.method = "tools/list";
  list.weight = 3;
  spec_.operations.push_back(list);
  spec_.requests = 4000;
  const PhaseOutcome one = run(server);
  const PhaseOutcome two = run(server);
  const auto lists = one.operations[1].of(Outcome::served);
  EXPECT_NEAR(static_cast<double>(lists), 3000, 5 * 27.4);  // binomial
  EXPECT_EQ(two.operations[1].of(Outcome::served), lists);
}

TEST_F(EngineTest, AlternatesOperationsSlotBySlot) {
  RawServer server([](auto id, auto) { return Answer{http(200, answer(id))}; });
  Operation list;
  list.method = "tools/list";
  spec_.operations.push_back(list);
  spec_.alternate = true;
  options_.parallel = 1;
  const PhaseOutcome outcome = run(server);
  EXPECT_EQ(outcome.operations[0].of(Outcome::served), 20U);
  EXPECT_EQ(outcome.operations[1].of(Outcome::served), 20U);
}

TEST_F(EngineTest, SharesTheLoadOverThreadsWithoutLosingACall) {
  RawServer server([](auto id, auto) { return Answer{http(200, answer(id))}; });
  options_.threads = 3;
  spec_.requests = 100;
  const PhaseOutcome outcome = run(server, 5);
  EXPECT_EQ(outcome.of(Outcome::served), 100U);
  EXPECT_EQ(outcome.workers.size(), 3U);
  std::set<std::string> bodies;
  for (const std::string& body : server.bodies()) bodies.insert(body);
  EXPECT_EQ(bodies.size(), 100U) << "two threads used one id";
}

TEST_F(EngineTest, OpenLoopSendsEveryDueCallAndCountsThem) {
  RawServer server([](auto id, auto) { return Answer{http(200, answer(id))}; });
  spec_.requests.reset();
  spec_.pace.emplace().segments = {{400, 400, 500ms}};
  for (const bool per_credential : {false, true}) {
    for (const std::size_t threads : {1U, 2U}) {
      spec_.pace->per_credential = per_credential;
      options_.threads = threads;
      const PhaseOutcome outcome = run(server, 3);
      EXPECT_EQ(outcome.sent() + outcome.missed, per_credential ? 600U : 200U);
      EXPECT_EQ(outcome.of(Outcome::served), outcome.sent());
    }
  }
}

TEST_F(EngineTest, OpenLoopGivesUpEachCallAtItsOwnDeadlineHoweverLateItWasSent) {
  // One slot, and a server that never answers: every call but the first waits for the slot.
  RawServer server([](auto, auto) { return Answer{}; });
  options_.parallel = 1;
  spec_.requests.reset();
  spec_.pace.emplace().segments = {{100, 100, 300ms}};
  spec_.call_timeout = 100ms;
  const PhaseOutcome outcome = run(server);
  EXPECT_EQ(outcome.of(Outcome::hung) + outcome.missed, 30U);
  const auto waited = collect(
      outcome.samples, [](const Sample::Parts& call) { return call.waited; },
      [](const Sample::Parts& call) { return call.latency - call.service; });
  EXPECT_GE(waited.size(), 20U);
  EXPECT_GE(*waited.percentile(0.5), Duration(50ms).count());
}

TEST_F(EngineTest, OpenLoopMissesWhatCannotBeSentBeforeItsDeadline) {
  auto server = std::make_unique<RawServer>([](auto, auto) { return Answer{}; });
  options_.parallel = 1;
  std::vector<Caller> callers;
  callers.push_back(server->caller());
  const auto engine = Engine::open(std::move(callers), options_);
  ASSERT_TRUE(engine);
  server.reset();
  // Every attempt is refused, and the slot rests before the next one.
  spec_.requests.reset();
  spec_.pace.emplace().segments = {{1000, 1000, 300ms}};
  spec_.call_timeout = 50ms;
  const PhaseOutcome outcome = run(**engine);
  EXPECT_EQ(outcome.sent() + outcome.missed, 300U);
  EXPECT_GE(outcome.missed, 150U);
  EXPECT_GE(outcome.of(Outcome::failed), 1U);
}

TEST_F(EngineTest, FinishesWhatIsInFlightWhenTheWindowEndsButCountsItApart) {
  RawServer server([](auto id, auto) {
    std::this_thread::sleep_for(50ms);
    return Answer{http(200, answer(id))};
  });
  spec_.requests.reset();
  spec_.duration = 120ms;
  const PhaseOutcome outcome = run(server);
  EXPECT_GE(outcome.overran, 1U);
  EXPECT_EQ(outcome.served_in_window + outcome.overran, outcome.of(Outcome::served));
  EXPECT_GE(outcome.real(), 120ms);
}

TEST_F(EngineTest, ThinksBetweenAnswerAndNextCall) {
  RawServer server([](auto id, auto) { return Answer{http(200, answer(id))}; });
  spec_.think = 20ms;
  spec_.requests = 10;
  const PhaseOutcome outcome = run(server);
  EXPECT_EQ(outcome.of(Outcome::served), 10U);
  EXPECT_GE(outcome.real(), 80ms);  // two slots, four pauses each
}

TEST_F(EngineTest, StopsWhenItIsToldToAndDropsWhatIsInFlight) {
  RawServer server([](auto, auto) { return Answer{}; });
  stopped_ = true;
  const Instant begun = os::now();
  const PhaseOutcome outcome = run(server);
  EXPECT_LT(os::now() - begun, 10s);
  EXPECT_EQ(outcome.sent(), 0U);
}

TEST_F(EngineTest, UsesNoIdTwiceOverSeveralPhases) {
  RawServer server([](auto id, auto) { return Answer{http(200, answer(id))}; });
  std::vector<Caller> callers;
  callers.push_back(server.caller());
  const auto engine = Engine::open(std::move(callers), options_);
  ASSERT_TRUE(engine);
  run(**engine);
  run(**engine);
  std::set<std::string> bodies;
  for (const std::string& body : server.bodies()) bodies.insert(body);
  EXPECT_EQ(bodies.size(), 80U);
}

TEST_F(EngineTest, SaysBeforehandWhatAServerRefuses) {
  std::vector<Caller> callers;
  {
    RawServer server([](auto, auto) { return Answer{}; });
    callers.push_back(server.caller());
  }
  const auto engine = Engine::open(std::move(callers), options_);
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, ErrorCode::target);
  EXPECT_THAT(engine.error().what, HasSubstr("2 of 2 connections could not be opened"));
}

TEST(MakeRoom, NamesTheNumberThatIsNeeded) {
  const std::uint64_t hard = os::descriptor_limit().hard;
  const auto room = make_room(hard, 4, /*over_http=*/true);
  ASSERT_FALSE(room);
  EXPECT_EQ(room.error().code, ErrorCode::usage);
  EXPECT_THAT(room.error().what, HasSubstr(std::to_string(4 * hard + 64)));
  EXPECT_TRUE(make_room(1, 4, true));
}

}  // namespace
}  // namespace weighbridge::load
