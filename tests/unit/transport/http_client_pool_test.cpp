// Many requests, few connections; cancelling; and what a sink may do from within its call.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "support.h"
#include "transport/http_client.h"

namespace weighbridge::transport {
namespace {

using testing::get;
using testing::KeepingSink;
using testing::Loop;
using testing::RawPeer;
using testing::RawServer;

constexpr std::string_view kEmptyReply = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

class HttpClientPool : public ::testing::Test {
 protected:
  Loop loop;
  RawServer server;
  std::optional<HttpClient> client{std::in_place, loop.poller(), server.url(), 2};

  RawPeer accept(std::string_view target) {
    loop.settle();
    RawPeer peer = server.accept();
    loop.settle();
    EXPECT_EQ(peer.read_until("\r\n\r\n"), get(target));
    return peer;
  }
};

TEST_F(HttpClientPool, OpensNoMoreConnectionsThanAllowedAndKeepsTheOrder) {
  std::array<KeepingSink, 5> sinks;
  for (std::size_t i = 0; i < sinks.size(); ++i)
    client->send(get("/" + std::to_string(i)), sinks[i]);
  const RawPeer first = accept("/0");
  const RawPeer second = accept("/1");
  EXPECT_FALSE(server.somebody_waits());
  EXPECT_EQ(first.read_available(), "") << "one request at a time";

  second.write(kEmptyReply);
  ASSERT_TRUE(loop.until([&] { return sinks[1].over(); }));
  EXPECT_EQ(second.read_until("\r\n\r\n"), get("/2"));
  first.write(kEmptyReply);
  ASSERT_TRUE(loop.until([&] { return sinks[0].over(); }));
  EXPECT_EQ(first.read_until("\r\n\r\n"), get("/3"));
  first.write(kEmptyReply);
  ASSERT_TRUE(loop.until([&] { return sinks[3].over(); }));
  EXPECT_EQ(first.read_until("\r\n\r\n"), get("/4"));
  second.write(kEmptyReply);
  first.write(kEmptyReply);
  ASSERT_TRUE(loop.until([&] { return sinks[2].over() && sinks[4].over(); }));
  EXPECT_EQ(client->connections_opened(), 2U);
}

TEST_F(HttpClientPool, AWaitingRequestGoesOutBeforeTheSinkOfTheLastOneWorks) {
  client.emplace(loop.poller(), server.url(), 1);
  KeepingSink one;
  KeepingSink two;
  client->send(get("/1"), one);
  client->send(get("/2"), two);
  const RawPeer peer = accept("/1");
  bool was_sent = false;
  one.then_at_end = [&] { was_sent = !peer.read_available().empty(); };
  peer.write(kEmptyReply);
  ASSERT_TRUE(loop.until([&] { return one.over(); }));
  EXPECT_TRUE(was_sent);
}

TEST_F(HttpClientPool, AFailedConnectionMakesRoomForTheNextRequest) {
  client.emplace(loop.poller(), server.url(), 1);
  KeepingSink one;
  KeepingSink two;
  client->send(get("/1"), one);
  client->send(get("/2"), two);
  accept("/1").close();
  const RawPeer next = accept("/2");
  next.write(kEmptyReply);
  ASSERT_TRUE(loop.until([&] { return two.over(); }));
  EXPECT_TRUE(one.failure);
  EXPECT_TRUE(two.times);
}

TEST_F(HttpClientPool, CancellingARequestThatWaitsLeavesNoTrace) {
  client.emplace(loop.poller(), server.url(), 1);
  KeepingSink one;
  KeepingSink two;
  KeepingSink three;
  client->send(get("/1"), one);
  const auto second = client->send(get("/2"), two);
  client->send(get("/3"), three);
  client->cancel(second);
  const RawPeer peer = accept("/1");
  peer.write(kEmptyReply);
  ASSERT_TRUE(loop.until([&] { return one.over(); }));
  EXPECT_EQ(peer.read_until("\r\n\r\n"), get("/3"));
  EXPECT_FALSE(two.over());
}

TEST_F(HttpClientPool, CancellingARequestInFlightClosesItsConnectionAndFreesThePlace) {
  client.emplace(loop.poller(), server.url(), 1);
  KeepingSink one;
  KeepingSink two;
  const auto first = client->send(get("/1"), one);
  client->send(get("/2"), two);
  const RawPeer peer = accept("/1");
  peer.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  ASSERT_TRUE(loop.until([&] { return one.body == "half"; }));
  client->cancel(first);
  EXPECT_EQ(peer.read_to_end(), "");
  const RawPeer next = accept("/2");
  next.write(kEmptyReply);
  ASSERT_TRUE(loop.until([&] { return two.over(); }));
  EXPECT_FALSE(one.over());
  client->cancel(first);  // again: nothing happens
}

TEST_F(HttpClientPool, CancellingBeforeTheConnectionStandsIsQuiet) {
  KeepingSink sink;
  client->cancel(client->send(get("/"), sink));
  loop.settle();
  EXPECT_FALSE(sink.over());
}

TEST_F(HttpClientPool, CancellingAFailureThatWasNotToldYetKeepsItUntold) {
  HttpClient nowhere(loop.poller(), {"https", "127.0.0.1", 1, "/"}, 1);
  KeepingSink cancelled;
  KeepingSink told;
  const auto request = nowhere.send(get("/"), cancelled);
  nowhere.send(get("/"), told);
  nowhere.cancel(request);
  ASSERT_TRUE(loop.until([&] { return told.over(); }));
  EXPECT_FALSE(cancelled.over());
}

TEST_F(HttpClientPool, ClosesIdleConnectionsOnDemand) {
  KeepingSink idle;
  KeepingSink busy;
  client->send(get("/1"), idle);
  client->send(get("/2"), busy);
  const RawPeer idle_peer = accept("/1");
  const RawPeer busy_peer = accept("/2");
  idle_peer.write(kEmptyReply);
  ASSERT_TRUE(loop.until([&] { return idle.over(); }));
  client->close_idle();
  EXPECT_EQ(idle_peer.read_to_end(), "");
  busy_peer.write(kEmptyReply);
  ASSERT_TRUE(loop.until([&] { return busy.over(); }));
  EXPECT_TRUE(busy.times);
}

TEST_F(HttpClientPool, ManyClientsShareOneLoop) {
  auto echo = HttpServer::listen(loop.poller(), {},
                                 [](HttpRequest&& request, const std::shared_ptr<HttpReply>& r) {
                                   r->send(200, {}, Body(request.target));
                                 });
  ASSERT_TRUE(echo);
  const Url url{"http", "127.0.0.1", (*echo)->port(), "/"};
  std::vector<std::unique_ptr<HttpClient>> clients;
  std::vector<std::unique_ptr<KeepingSink>> sinks;
  for (int i = 0; i < 100; ++i) {
    clients.push_back(std::make_unique<HttpClient>(loop.poller(), url, 2));
    for (int j = 0; j < 5; ++j) {
      sinks.push_back(std::make_unique<KeepingSink>());
      clients.back()->send(get("/" + std::to_string(sinks.size() - 1)), *sinks.back());
    }
  }
  ASSERT_TRUE(loop.until(
      [&] { return std::ranges::all_of(sinks, [](const auto& sink) { return sink->over(); }); }));
  for (std::size_t i = 0; i < sinks.size(); ++i)
    EXPECT_EQ(sinks[i]->body, "/" + std::to_string(i)) << "no reply goes astray";
  EXPECT_EQ((*echo)->connections(), 200U);
}

// --- from within a call --------------------------------------------------------------------------

TEST_F(HttpClientPool, ASinkMaySendTheNextRequestOnTheSameConnection) {
  KeepingSink one;
  KeepingSink two;
  one.then_at_end = [&] { client->send(get("/2"), two); };
  client->send(get("/1"), one);
  const RawPeer peer = accept("/1");
  peer.write(kEmptyReply);
  ASSERT_TRUE(loop.until([&] { return one.over(); }));
  EXPECT_EQ(peer.read_until("\r\n\r\n"), get("/2"));
  peer.write(kEmptyReply);
  ASSERT_TRUE(loop.until([&] { return two.over(); }));
  EXPECT_EQ(client->connections_opened(), 1U);
}

TEST_F(HttpClientPool, ASinkMayCancelItselfAmidItsReply) {
  for (const bool at_head : {true, false}) {
    KeepingSink sink;
    const auto request = client->send(get("/"), sink);
    const RawPeer peer = accept("/");
    (at_head ? sink.then_on_head : sink.then_on_body) = [&] { client->cancel(request); };
    peer.write(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n");
    loop.settle();
    EXPECT_FALSE(sink.over());
    EXPECT_EQ(sink.body, at_head ? "" : "a");
    EXPECT_EQ(peer.read_to_end(), "");
  }
}

TEST_F(HttpClientPool, ASinkMayDestroyTheClientFromEveryCall) {
  const std::string reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nxx";
  for (int where = 0; where < 4; ++where) {
    client.emplace(loop.poller(), server.url(), 1);
    KeepingSink sink;
    KeepingSink waiting;
    const auto destroy = [&] { client.reset(); };
    if (where == 0) sink.then_on_head = destroy;
    if (where == 1) sink.then_on_body = destroy;
    if (where >= 2) sink.then_at_end = destroy;
    client->send(get("/"), sink);
    client->send(get("/"), waiting);
    RawPeer peer = accept("/");
    if (where < 3) peer.write(reply);
    peer.close();
    ASSERT_TRUE(loop.until([&] { return !client; })) << where;
    loop.settle();
    EXPECT_EQ(sink.over(), where >= 2);
    EXPECT_FALSE(waiting.over());
  }
}

TEST_F(HttpClientPool, ASinkMayDestroyTheClientWhenNobodyListens) {
  client.emplace(loop.poller(), Url{"https", "127.0.0.1", 1, "/"}, 1);
  KeepingSink one;
  KeepingSink two;
  one.then_at_end = [&] { client.reset(); };
  client->send(get("/"), one);
  client->send(get("/"), two);
  ASSERT_TRUE(loop.until([&] { return one.over(); }));
  loop.settle();
  EXPECT_FALSE(two.over());
}

TEST_F(HttpClientPool, ASinkMayRunTheLoopForAnotherRequest) {
  KeepingSink outer;
  KeepingSink inner;
  client->send(get("/outer"), outer);
  const RawPeer peer = accept("/outer");
  const std::string inner_body(1000, 'i');
  outer.then_on_body = [&] {
    if (inner.over()) return;
    client->send(get("/inner"), inner);
    const RawPeer other = accept("/inner");
    peer.write("1\r\n!\r\n0\r\n\r\n");  // more of the outer reply, which has to wait
    other.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + inner_body);
    EXPECT_TRUE(loop.until([&] { return inner.over(); }));
  };
  peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nou-te\r\n1\r\nr\r\n");
  ASSERT_TRUE(loop.until([&] { return outer.over(); }));
  EXPECT_EQ(outer.body, "ou-ter!") << "the bytes under the outer reply were left alone";
  EXPECT_EQ(inner.body, inner_body);
}

}  // namespace
}  // namespace weighbridge::transport
