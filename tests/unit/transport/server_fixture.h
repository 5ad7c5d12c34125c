#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "support.h"
#include "transport/http_server.h"

namespace weighbridge::transport::testing {

/// Answers with method, target and body of the request, unless a test takes the reply itself.
class HttpServerTest : public ::testing::Test {
 protected:
  using Reply = std::shared_ptr<HttpReply>;

  Loop loop;
  std::map<std::string, Reply> kept;
  std::function<void(HttpRequest&&, Reply)> handler = [](HttpRequest&& request,
                                                         const Reply& reply) {
    reply->send(200, {}, Body(request.method + " " + request.target + " " + request.body));
  };
  std::unique_ptr<HttpServer> server =
      HttpServer::listen(loop.poller(), {}, [this](HttpRequest&& request, Reply reply) {
        handler(std::move(request), std::move(reply));
      }).value();

  void keep_replies() {
    handler = [this](HttpRequest&& request, Reply reply) {
      kept[request.target] = std::move(reply);
    };
  }
  RawPeer connect() { return RawPeer::connect_to(server->port()); }

  /// What the peer has received once `bytes` are there, while the server runs.
  std::string receive(const RawPeer& peer, std::size_t bytes) {
    std::string text;
    EXPECT_TRUE(loop.until([&] {
      text += peer.read_available();
      return text.size() >= bytes;
    })) << "only: "
        << text.substr(0, 500);
    return text;
  }
  void expect(const RawPeer& peer, const std::string& bytes) {
    EXPECT_EQ(receive(peer, bytes.size()), bytes);
  }
  /// What comes until the server hangs up.
  std::string receive_all(const RawPeer& peer) {
    loop.settle();
    return peer.read_to_end();
  }
};

/// A whole reply with this body.
inline std::string ok(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace weighbridge::transport::testing
