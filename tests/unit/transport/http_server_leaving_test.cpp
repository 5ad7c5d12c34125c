// Peers, servers and handlers that leave early.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "server_fixture.h"
#include "transport/http_server.h"

namespace weighbridge::transport {
namespace {

using testing::HttpServerTest;
using testing::ok;
using testing::RawPeer;

TEST_F(HttpServerTest, TellsOfAPeerThatLeavesBeforeItsAnswer) {
  keep_replies();
  for (const bool abruptly : {false, true}) {
    RawPeer peer = connect();
    peer.write(testing::get("/"));
    ASSERT_TRUE(loop.until([&] { return !kept.empty(); }));
    int told = 0;
    const Reply reply = kept["/"];
    reply->on_peer_gone([&] { ++told; });
    EXPECT_FALSE(reply->peer_gone());
    abruptly ? peer.reset() : peer.close();
    ASSERT_TRUE(loop.until([&] { return told > 0; }));
    EXPECT_TRUE(reply->peer_gone());
    EXPECT_EQ(server->connections(), 0U);
    reply->send(200, {}, Body("to nobody"));
    loop.settle();
    EXPECT_EQ(told, 1);
    reply->on_peer_gone([&] { ++told; });
    EXPECT_EQ(told, 2) << "whoever asks afterwards is told at once";
    kept.clear();
  }
}

TEST_F(HttpServerTest, TellsOfAPeerThatLeavesAmidChunks) {
  keep_replies();
  RawPeer peer = connect();
  peer.write(testing::get("/"));
  ASSERT_TRUE(loop.until([&] { return !kept.empty(); }));
  bool told = false;
  kept["/"]->begin(200, {});
  kept["/"]->on_peer_gone([&] { told = true; });
  peer.close();
  ASSERT_TRUE(loop.until([&] { return told; }));
}

TEST_F(HttpServerTest, TellsOfAPeerThatHasFloodedUsAndLeaves) {
  keep_replies();
  RawPeer peer = connect();
  peer.write(testing::get("/") + std::string(200'000, 'x'));
  ASSERT_TRUE(loop.until([&] { return !kept.empty(); }));
  loop.settle();
  bool told = false;
  kept["/"]->on_peer_gone([&] { told = true; });
  peer.close();
  ASSERT_TRUE(loop.until([&] { return told; }));
}

TEST_F(HttpServerTest, SaysNothingOfAPeerThatLeavesAfterItsAnswer) {
  keep_replies();
  RawPeer peer = connect();
  peer.write(testing::get("/"));
  ASSERT_TRUE(loop.until([&] { return !kept.empty(); }));
  bool told = false;
  kept["/"]->on_peer_gone([&] { told = true; });
  kept["/"]->send(200, {}, {});
  peer.close();
  ASSERT_TRUE(loop.until([&] { return server->connections() == 0; }));
  EXPECT_FALSE(told);
}

TEST_F(HttpServerTest, FinishesTheReplyOfAPeerThatHasEndedItsSide) {
  const auto listing = std::make_shared<const std::string>(20'000'000, 'x');
  handler = [&](HttpRequest&&, const Reply& reply) { reply->send(200, {}, Body().add(listing)); };
  const RawPeer peer = connect();
  peer.write(testing::get("/"));
  loop.settle();
  peer.end_writing();
  loop.settle();
  EXPECT_EQ(receive(peer, listing->size()).size(), ok(*listing).size());
  EXPECT_TRUE(loop.until([&] { return server->connections() == 0; }));
}

TEST_F(HttpServerTest, AReplyMayOutliveTheServer) {
  keep_replies();
  RawPeer peer = connect();
  peer.write(testing::get("/"));
  ASSERT_TRUE(loop.until([&] { return !kept.empty(); }));
  bool told = false;
  kept["/"]->on_peer_gone([&] { told = true; });
  server.reset();
  EXPECT_EQ(peer.read_to_end(), "");
  kept["/"]->send(200, {}, Body("x"));
  kept.clear();
  EXPECT_FALSE(told);
}

TEST_F(HttpServerTest, AHandlerMayDestroyTheServer) {
  for (const bool answered : {false, true}) {
    handler = [&](HttpRequest&&, const Reply& reply) {
      if (answered) reply->send(200, {}, {});
      server.reset();
      reply->send(200, {}, {});
    };
    if (!server) {
      server = HttpServer::listen(loop.poller(), {}, [this](HttpRequest&& request, Reply reply) {
                 handler(std::move(request), std::move(reply));
               }).value();
    }
    const RawPeer peer = connect();
    peer.write(testing::get("/") + testing::get("/"));
    ASSERT_TRUE(loop.until([&] { return !server; }));
    EXPECT_EQ(receive_all(peer), "");
  }
}

TEST_F(HttpServerTest, StopsAcceptingAndLetsRepliesEnd) {
  keep_replies();
  const RawPeer idle = connect();
  const RawPeer busy = connect();
  busy.write(testing::get("/"));
  ASSERT_TRUE(loop.until([&] { return !kept.empty() && server->connections() == 2; }));
  server->stop_accepting();
  EXPECT_EQ(idle.read_to_end(), "");
  EXPECT_EQ(server->connections(), 1U);
  kept["/"]->send(200, {}, Body("x"));
  EXPECT_EQ(receive_all(busy),
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx");

  const os::Fd late(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(server->port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_NE(::connect(late.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
}

}  // namespace
}  // namespace weighbridge::transport
