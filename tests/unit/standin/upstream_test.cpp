#include "standin/upstream.h"

#include <gtest/gtest.h>

#include <thread>

#include "os/real_clock.h"
#include "support.h"
#include "transport/url.h"

namespace weighbridge::standin {
namespace {

using transport::testing::get;
using transport::testing::RawPeer;

Route route(std::string path, std::string body) {
  return {.path = std::move(path), .body = std::move(body)};
}

/// Waits for what the stand-in's thread does.
template <typename Condition>
bool eventually(const Condition& condition) {
  for (int i = 0; i < 10'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

class UpstreamTest : public ::testing::Test {
 protected:
  std::unique_ptr<Upstream> start(UpstreamOptions options = {}) {
    if (options.routes.empty()) {
      options.routes = {route("/api/v4/version", R"({"version":"17.0.0"})"),
                        route("/api/v4/projects/{id}", R"({"id":1})")};
    }
    auto started = Upstream::start(std::move(options));
    EXPECT_TRUE(started);
    return std::move(*started);
  }
  static RawPeer connect(const Upstream& upstream) {
    return RawPeer::connect_to(transport::parse_url(upstream.url())->port);
  }
  /// One request on a connection of its own; the whole reply.
  static std::string ask(const Upstream& upstream, const std::string& target,
                         const transport::Headers& headers = {}) {
    const RawPeer peer = connect(upstream);
    transport::Headers all = headers;
    all.push_back({"Connection", "close"});
    peer.write(transport::render_request("GET", target, "h", all, {}));
    return peer.read_to_end();
  }
};

TEST_F(UpstreamTest, AnswersByScript) {
  const auto upstream = start();
  EXPECT_EQ(ask(*upstream, "/api/v4/version"),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\n"
            "Connection: close\r\n\r\n{\"version\":\"17.0.0\"}");
  EXPECT_TRUE(ask(*upstream, "/api/v4/projects/7?x=1").ends_with(R"({"id":1})"));
}

TEST_F(UpstreamTest, AnswersElsewhereWith404AndJson) {
  const auto upstream = start();
  const std::string reply = ask(*upstream, "/nowhere/\"quoted\"");
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n"));
  EXPECT_TRUE(reply.ends_with(R"({"message":"404 Not Found: GET /nowhere/\"quoted\""})")) << reply;
}

TEST_F(UpstreamTest, SendsStatusHeadersAndSizesAsAsked) {
  Route custom = route("/custom", "");
  custom.status = 429;
  custom.body_bytes = 50'000;
  custom.headers = {{"Retry-After", "1"}, {"Content-Type", "text/plain"}};
  const auto upstream = start({.routes = {custom}});
  const std::string reply = ask(*upstream, "/custom");
  EXPECT_TRUE(
      reply.starts_with("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\n"
                        "Content-Type: text/plain\r\nContent-Length: 50000\r\n"));
  EXPECT_EQ(reply.size() - reply.find("\r\n\r\n") - 4, 50'000U);
}

TEST_F(UpstreamTest, WaitsAsLongAsItIsToldTo) {
  Route slow = route("/slow", "{}");
  slow.delay = 30ms;
  const auto upstream = start({.routes = {slow, route("/quick", "{}")}, .delay = 20ms});
  const Instant before = os::now();
  ask(*upstream, "/quick");
  const Instant between = os::now();
  ask(*upstream, "/slow");
  EXPECT_GE(between - before, 20ms);
  EXPECT_GE(os::now() - between, 50ms) << "the route's own delay comes on top";
  upstream->set_delay({});
  EXPECT_TRUE(ask(*upstream, "/quick").ends_with("{}"));
}

TEST_F(UpstreamTest, WaitsForManyAtTheSameTime) {
  const auto upstream = start({.delay = 200ms});
  std::vector<RawPeer> peers;
  const Instant before = os::now();
  for (int i = 0; i < 50; ++i) {
    peers.push_back(connect(*upstream));
    peers.back().write(get("/api/v4/version"));
  }
  ASSERT_TRUE(eventually([&] { return upstream->counters().requests == 50; }));
  for (const RawPeer& peer : peers) EXPECT_NE(peer.read_until("}"), "");
  EXPECT_LT(os::now() - before, 5s) << "one after the other would take ten";
  EXPECT_EQ(upstream->counters().in_flight, 0U);
}

TEST_F(UpstreamTest, CountsRequestsAndThoseInFlight) {
  const auto upstream = start({.delay = 50ms});
  std::vector<RawPeer> peers;
  for (int i = 0; i < 3; ++i) {
    peers.push_back(connect(*upstream));
    peers.back().write(get("/api/v4/version?page=" + std::to_string(i)));
  }
  for (const RawPeer& peer : peers) EXPECT_NE(peer.read_until("}"), "");
  ask(*upstream, "/nowhere");
  const UpstreamCounters counters = upstream->counters();
  EXPECT_EQ(counters.requests, 4U);
  EXPECT_EQ(counters.by_path,
            (std::map<std::string, std::uint64_t>{{"/api/v4/version", 3}, {"/nowhere", 1}}));
  EXPECT_EQ(counters.in_flight, 0U);
  EXPECT_GE(counters.peak_in_flight, 1U);
  EXPECT_LE(counters.peak_in_flight, 3U);
  upstream->reset_counters();
  EXPECT_EQ(upstream->counters().requests, 0U);
  EXPECT_EQ(upstream->counters().peak_in_flight, 0U);
  EXPECT_TRUE(upstream->counters().by_path.empty());
}

TEST_F(UpstreamTest, HoldsBodiesBackUntilTheyAreReleased) {
  const auto upstream = start();
  upstream->hold(true);
  std::vector<RawPeer> peers;
  for (int i = 0; i < 3; ++i) {
    peers.push_back(connect(*upstream));
    peers.back().write(get("/api/v4/version"));
    EXPECT_EQ(peers.back().read_until("\r\n\r\n"),
              "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
              "Transfer-Encoding: chunked\r\n\r\n")
        << "the head comes at once";
  }
  EXPECT_EQ(upstream->counters().held, 3U);
  EXPECT_EQ(upstream->counters().in_flight, 3U);
  EXPECT_EQ(upstream->counters().peak_in_flight, 3U);
  EXPECT_EQ(peers[0].read_available(), "");

  peers[2].close();
  ASSERT_TRUE(eventually([&] { return upstream->counters().held == 2; }));
  EXPECT_EQ(upstream->counters().in_flight, 2U) << "whoever leaves is no longer in flight";

  upstream->hold(false);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(peers[static_cast<std::size_t>(i)].read_until("0\r\n\r\n"),
              "14\r\n{\"version\":\"17.0.0\"}\r\n0\r\n\r\n");
  }
  EXPECT_EQ(upstream->counters().held, 0U);
  EXPECT_EQ(upstream->counters().in_flight, 0U);
  EXPECT_TRUE(ask(*upstream, "/api/v4/version").ends_with(R"({"version":"17.0.0"})"));
}

TEST_F(UpstreamTest, ForgetsADelayedAnswerWhoseClientHasLeft) {
  const auto upstream = start({.delay = 1h});
  RawPeer peer = connect(*upstream);
  peer.write(get("/api/v4/version"));
  ASSERT_TRUE(eventually([&] { return upstream->counters().in_flight == 1; }));
  peer.close();
  EXPECT_TRUE(eventually([&] { return upstream->counters().in_flight == 0; }));
}

TEST_F(UpstreamTest, RefusesTokensWithTheGivenPrefix) {
  const auto upstream = start({.refused_token_prefix = "bad-"});
  EXPECT_TRUE(ask(*upstream, "/api/v4/version", {{"PRIVATE-TOKEN", "bad-1"}})
                  .starts_with("HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json"));
  EXPECT_TRUE(ask(*upstream, "/api/v4/version", {{"Authorization", "Bearer bad-2"}})
                  .starts_with("HTTP/1.1 401"));
  EXPECT_TRUE(
      ask(*upstream, "/api/v4/version", {{"PRIVATE-TOKEN", "good"}}).starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(ask(*upstream, "/api/v4/version").starts_with("HTTP/1.1 200"));
}

TEST_F(UpstreamTest, RecordsRequestsOnlyWhenAsked) {
  const auto quiet = start();
  ask(*quiet, "/api/v4/version");
  EXPECT_TRUE(quiet->take_requests().empty());

  const auto upstream = start({.record_requests = true});
  ask(*upstream, "/api/v4/version?a=b", {{"PRIVATE-TOKEN", "hunter2"}});
  const auto requests = upstream->take_requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].path, "/api/v4/version");
  EXPECT_EQ(requests[0].query, "a=b");
  EXPECT_TRUE(requests[0].had_credential);
  EXPECT_TRUE(upstream->take_requests().empty());
}

TEST_F(UpstreamTest, AccountsForItsOwnProcessorTime) {
  const auto upstream = start();
  const Duration before = upstream->cpu();
  const RawPeer peer = connect(*upstream);
  for (int i = 0; i < 200; ++i) {
    peer.write(get("/api/v4/version"));
    EXPECT_NE(peer.read_until("}"), "");
  }
  EXPECT_GT(upstream->cpu(), before);
  EXPECT_LT(upstream->cpu() - before, 5s);
}

TEST_F(UpstreamTest, StopsWithEverythingStillPending) {
  auto upstream = start({.delay = 1h});
  const RawPeer delayed = connect(*upstream);
  delayed.write(get("/api/v4/version"));
  ASSERT_TRUE(eventually([&] { return upstream->counters().in_flight == 1; }));
  upstream->hold(true);
  const RawPeer held = connect(*upstream);
  held.write(get("/api/v4/version"));
  EXPECT_NE(held.read_until("\r\n\r\n"), "");
  upstream.reset();
  EXPECT_EQ(delayed.read_to_end(), "");
  EXPECT_EQ(held.read_to_end(), "");
}

TEST_F(UpstreamTest, ListensOnLoopbackOnly) {
  EXPECT_TRUE(start()->url().starts_with("http://127.0.0.1:"));
}

}  // namespace
}  // namespace weighbridge::standin
