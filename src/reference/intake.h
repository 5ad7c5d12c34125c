#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "protocol/server_message.h"
#include "protocol/server_route.h"
#include "reference/conversation.h"
#include "reference/service.h"
#include "transport/http_server.h"

namespace weighbridge::reference {

/// What came of one line or one HTTP body.
struct Handled {
  bool answered = false;  ///< false: nothing in it wanted an answer (202 on HTTP)
  int http_status = 200;  ///< 400 and 404 for what the protocol turns away
  transport::Body body;   ///< one JSON-RPC message, or an array of them for a batch
};

/// Takes what clients send, decides by which rules it is served, and serves it: what stdio and HTTP
/// have in common.
class Intake {
 public:
  explicit Intake(Service& service) : service_(service) {}

  struct Context {
    const protocol::RequestHeaders* headers = nullptr;  ///< nullptr on stdio
    Asker asker = {};  ///< its conversation is there if initialize has been
    /// Requests by a handshake era's rules are turned away: they lack the session they need.
    bool needs_session = false;
    bool sessions_full = false;  ///< no more may be opened
    /// initialize is about to be answered in this conversation.
    std::function<void(const std::shared_ptr<Conversation>&)> on_initialize;
    /// A request (by its id as JSON) got a ticket: its answer comes later.
    std::function<void(const std::string& id, Service::Ticket)> on_pending;
    /// The client no longer wants the answer to the request of this id.
    std::function<void(const std::string& id)> on_cancelled;
  };
  using Done = std::function<void(Handled)>;

  /// `done` is called exactly once, at once or later, unless every ticket is abandoned before.
  void take(std::string_view text, const Context& context, Done done);

 private:
  void take_one(const protocol::ClientMessage& message, const Context& context, Done done);
  void take_batch(const protocol::ClientInput& input, const Context& context, Done done);
  void take_request(const protocol::ClientMessage& message, const protocol::Era& era,
                    const Context& context, Done done);

  Service& service_;
  protocol::ClientReader reader_;
};

}  // namespace weighbridge::reference
