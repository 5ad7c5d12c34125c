#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "reference/conversation.h"
#include "transport/http_server.h"

namespace weighbridge::reference::testing {

/// A caller that keeps what it is told.
struct Recorder final : Caller {
  void tell(std::string message) override { told.push_back(nlohmann::json::parse(message)); }
  void let_go() override { ++let_gos; }
  std::vector<nlohmann::json> told;
  int let_gos = 0;
};

/// The other end of an HTTP reply.
struct ReplyRecorder final : transport::HttpReply {
  void send(int now, const transport::Headers& /*headers*/, transport::Body body) override {
    begin(now, {});
    write(std::move(body));
    end();
  }
  void begin(int now, const transport::Headers& /*headers*/) override { status = now; }
  void write(transport::Body piece) override {
    for (const auto& each : piece.pieces()) text += *each;
  }
  void end() override { ended = true; }
  void close_after() override {}
  [[nodiscard]] bool peer_gone() const override { return false; }
  void on_peer_gone(std::function<void()> task) override { leave = std::move(task); }

  int status = 0;
  std::string text;
  bool ended = false;
  std::function<void()> leave;  ///< what happens when the peer goes
};

}  // namespace weighbridge::reference::testing
