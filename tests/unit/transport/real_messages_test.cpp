// What real servers and clients have sent (tests/fixtures/http), whole, split in two at every
// place, and byte by byte.
#include <gtest/gtest.h>

#include "os/real_clock.h"
#include "support.h"
#include "transport/http_client.h"

namespace weighbridge::transport {
namespace {

using testing::get;
using testing::KeepingSink;
using testing::Loop;
using testing::RawPeer;
using testing::RawServer;
using testing::read_fixture;

struct RealReply {
  const char* file;
  int status;
  const char* header;  // one that must have come, name only
  std::size_t body_bytes;
  const char* body_begins;
  bool reusable;
};

void PrintTo(const RealReply& reply, std::ostream* out) {
  *out << reply.file;
}

class RealReplies : public ::testing::TestWithParam<RealReply> {
 protected:
  /// Sends the fixture in two pieces, on a connection of its own.
  void replay(std::size_t cut) {
    const RealReply& expected = GetParam();
    const std::string bytes = read_fixture("replies/" + std::string(expected.file));
    HttpClient client(loop.poller(), server.url(), 1);
    KeepingSink sink;
    client.send(get("/"), sink);
    RawPeer peer = server.accept();
    peer.write(bytes.substr(0, cut));
    loop.poller().run_once(os::now());
    loop.poller().run_once(os::now());
    peer.write(bytes.substr(cut));
    if (!expected.reusable) peer.end_writing();
    ASSERT_TRUE(loop.until([&] { return sink.over(); })) << "cut at " << cut;
    ASSERT_TRUE(sink.times) << sink.failure->what << ", cut at " << cut;
    EXPECT_EQ(sink.status, expected.status);
    EXPECT_TRUE(find_header(sink.headers, expected.header)) << expected.header;
    EXPECT_EQ(sink.body.size(), expected.body_bytes);
    EXPECT_TRUE(sink.body.starts_with(expected.body_begins)) << sink.body;
    check_reuse(client, peer);
  }

  void check_reuse(HttpClient& client, const RawPeer& peer) {
    EXPECT_EQ(peer.read_until("\r\n\r\n"), get("/"));
    if (!GetParam().reusable) {
      EXPECT_EQ(peer.read_to_end(), "");
      return;
    }
    KeepingSink next;
    client.send(get("/"), next);
    EXPECT_EQ(peer.read_until("\r\n\r\n"), get("/"));
  }

  Loop loop;
  RawServer server;
};

TEST_P(RealReplies, AreReadWholeAndSplitAnywhere) {
  const std::size_t size = read_fixture("replies/" + std::string(GetParam().file)).size();
  // Long ones at fewer places, at a step that has nothing in common with their lines.
  const std::size_t step = size < 1000 ? 1 : 37;
  for (std::size_t cut = 1; cut <= size; cut += step) replay(cut);
}

TEST_P(RealReplies, AreReadByteByByte) {
  const std::string bytes = read_fixture("replies/" + std::string(GetParam().file));
  HttpClient client(loop.poller(), server.url(), 1);
  KeepingSink sink;
  client.send(get("/"), sink);
  RawPeer peer = server.accept();
  loop.settle();
  for (const char& byte : bytes) {
    peer.write({&byte, 1});
    loop.poller().run_once(os::now() + 1ms);
  }
  if (!GetParam().reusable) peer.end_writing();
  ASSERT_TRUE(loop.until([&] { return sink.over(); }));
  ASSERT_TRUE(sink.times) << sink.failure->what;
  EXPECT_EQ(sink.body.size(), GetParam().body_bytes);
  check_reuse(client, peer);
}

INSTANTIATE_TEST_SUITE_P(
    , RealReplies,
    ::testing::Values(
        RealReply{"node_length.http", 200, "Keep-Alive", 46, R"({"jsonrpc":"2.0")", true},
        RealReply{"node_chunked.http", 200, "Content-Type", 373, "event: message\n", true},
        RealReply{"node_trailers.http", 200, "Trailer", 3, "abc", true},
        RealReply{"node_empty.http", 202, "Keep-Alive", 0, "", true},
        RealReply{"node_nocontent.http", 204, "Connection", 0, "", true},
        RealReply{"node_hints.http", 200, "Content-Length", 5, "after", true},
        RealReply{"node_close.http", 200, "Connection", 3, "bye", false},
        RealReply{"node_missing.http", 404, "Content-Type", 12, "no such page", true},
        RealReply{"node_continue.http", 200, "Date", 5, "got 4", true},
        RealReply{"node_bad_request.http", 400, "Connection", 0, "", false},
        RealReply{"python_until_close.http", 200, "Server", 32, "a body that only", false},
        RealReply{"python_length.http", 200, "Server", 6, "body \n", true},
        RealReply{"everything_initialize.http", 200, "mcp-session-id", 2131, "id: ", true},
        RealReply{"everything_accepted.http", 202, "X-Powered-By", 0, "", true},
        RealReply{"everything_tools.http", 200, "mcp-session-id", 7761, "event: message", true},
        RealReply{"everything_no_session.http", 400, "X-Powered-By", 99,
                  R"({"jsonrpc":"2.0","error")", true}));

struct RealRequest {
  const char* file;
  const char* method;
  const char* target;
  bool closes;
};

void PrintTo(const RealRequest& request, std::ostream* out) {
  *out << request.file;
}

class RealRequests : public ::testing::TestWithParam<RealRequest> {};

TEST_P(RealRequests, AreReadWholeAndSplitAnywhere) {
  const RealRequest& expected = GetParam();
  const std::string bytes = read_fixture("requests/" + std::string(expected.file));
  const std::string body = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";
  Loop loop;
  std::vector<HttpRequest> seen;
  const auto server = HttpServer::listen(
      loop.poller(), {}, [&](HttpRequest&& request, const std::shared_ptr<HttpReply>& reply) {
        seen.push_back(std::move(request));
        reply->send(200, {}, Body("{}"));
      });
  ASSERT_TRUE(server);
  std::optional<RawPeer> peer;
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    if (!peer || expected.closes) peer.emplace(RawPeer::connect_to((*server)->port()));
    peer->write(bytes.substr(0, cut));
    loop.poller().run_once(os::now());
    peer->write(bytes.substr(cut));
    ASSERT_TRUE(loop.until([&] { return seen.size() == cut + 1; })) << "cut at " << cut;
    EXPECT_EQ(seen.back().method, expected.method);
    EXPECT_EQ(seen.back().target, expected.target);
    EXPECT_EQ(seen.back().body, seen.back().method == "POST" ? body : "");
    const std::string reply = peer->read_until("{}");
    EXPECT_TRUE(reply.starts_with("HTTP/1.1 200 OK\r\n"));
    EXPECT_EQ(reply.find("Connection: close") != std::string::npos, expected.closes);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , RealRequests,
    ::testing::Values(RealRequest{"curl.http", "POST", "/mcp?x=1", false},
                      RealRequest{"curl_chunked.http", "POST", "/mcp", false},
                      RealRequest{"curl_upgrade.http", "GET", "/health", false},
                      RealRequest{"node_fetch.http", "POST", "/mcp", false},
                      RealRequest{"node_chunked.http", "POST", "/mcp", false},
                      RealRequest{"python_urllib.http", "POST", "/mcp", true}));

}  // namespace
}  // namespace weighbridge::transport
