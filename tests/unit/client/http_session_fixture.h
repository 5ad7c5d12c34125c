#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "client/session.h"
#include "os/real_clock.h"
#include "peers.h"
#include "protocol/outcome.h"

namespace weighbridge::client {

class HttpSessionTest : public ::testing::Test {
 protected:
  void serve(HttpPeer::Script script) { peer.emplace(*poller, std::move(script)); }

  HttpAccess access() {
    HttpAccess access;
    access.url = {.scheme = "http", .host = "127.0.0.1", .port = peer->port(), .target = "/mcp"};
    return access;
  }
  std::unique_ptr<Session> session(const protocol::Era* asked) {
    SessionOptions options;
    options.era = asked;
    return Session::over_http(*poller, access(), options);
  }
  static Instant soon() { return os::now() + 20s; }
  static protocol::Outcome outcome(const Reply& reply, bool tool_call = false) {
    return protocol::judge(reply.facts(tool_call), {}, {}).outcome;
  }

  std::unique_ptr<os::Poller> poller = *os::Poller::create();
  std::optional<HttpPeer> peer;
  const protocol::Era* legacy = &protocol::newest_handshake_era();
  const protocol::Era* modern = &protocol::newest_era();
};

inline RawAnswer handshake_at(const RawRequest& request, const std::string& version) {
  if (request.method() == "initialize")
    return respond(request.message(), {{"protocolVersion", version},
                                       {"capabilities", json::object()},
                                       {"serverInfo", {{"name", "n"}, {"version", "v"}}}});
  if (request.method().starts_with("notifications/")) return respond(202, "", "");
  return respond(request.message(), {{"tools", json::array()}});
}

}  // namespace weighbridge::client
