#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "protocol/client_capabilities.h"
#include "protocol/era.h"
#include "protocol/identity.h"
#include "protocol/message.h"
#include "protocol/request_meta.h"

namespace weighbridge::protocol {

/// The client's side of one conversation, without a channel: what to write, what an incoming
/// message is to us, and what the handshake settled.
class ClientSession {
 public:
  ClientSession(const Era& era, ClientInfo client, ClientCapabilities capabilities = {});

  struct Request {
    std::string id;  ///< as rendered
    std::string text;
  };
  /// A request under an id that was never used in this session. `params` is a JSON object; a
  /// stateless era's `_meta` is added. Params that are no object travel as they are: the server's
  /// refusal says more than ours would.
  Request request(std::string_view method, std::string_view params);

  /// Handshake eras only: initialize, then the verdict on its answer, then `initialized`.
  Request initialize();
  /// Learns who the server is. ErrorCode::target when it answers with an error, or with another
  /// revision than the session's era (`negotiable` = false) or than the table's handshake eras.
  Result<void> accept_initialize(const Envelope& answer, bool negotiable);
  [[nodiscard]] static std::string initialized();

  enum class Meaning { answer, server_request, notification, stray };
  struct Received {
    Meaning meaning = Meaning::stray;
    std::string reply;  ///< server_request: what to send back
  };
  /// What an incoming message is to us. Server requests are answered even before the handshake has
  /// ended; eras without them have none, so there they are stray.
  [[nodiscard]] Received receive(const Envelope& message) const;

  [[nodiscard]] const Era& era() const { return *era_; }
  [[nodiscard]] const ClientCapabilities& capabilities() const { return capabilities_; }
  [[nodiscard]] const Introduction& server() const { return server_; }

 private:
  const Era* era_;
  ClientInfo client_;
  ClientCapabilities capabilities_;
  std::string meta_members_;  ///< of every request; empty in handshake eras
  Introduction server_;
  std::uint64_t next_id_ = 1;
};

}  // namespace weighbridge::protocol
