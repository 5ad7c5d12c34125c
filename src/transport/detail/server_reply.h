#pragma once

#include <functional>
#include <string>

#include "transport/http_server.h"

namespace weighbridge::transport::detail {

class ServerConnection;

/// What of the request decides the shape of its reply.
struct ReplyShape {
  bool head_request = false;  ///< the reply has no body, only its length
  bool http_1_0 = false;      ///< no chunks; closes unless asked not to
  bool keep_alive = true;     ///< the peer wants the connection kept
};

/// Renders one reply into its connection's output. The two point at each other and each lets go of
/// the other first: the connection when it closes, the reply when its handler drops it.
class ServerReply final : public HttpReply {
 public:
  ServerReply(ServerConnection& connection, ReplyShape shape)
      : connection_(&connection), shape_(shape) {}
  ~ServerReply() override;
  ServerReply(const ServerReply&) = delete;
  ServerReply& operator=(const ServerReply&) = delete;

  void send(int status, const Headers& headers, Body body) override;
  void begin(int status, const Headers& headers) override;
  void write(Body piece) override;
  void end() override;
  void close_after() override;
  [[nodiscard]] bool peer_gone() const override { return peer_gone_; }
  void on_peer_gone(std::function<void()> task) override;

  // For the connection.
  [[nodiscard]] bool ended() const { return stage_ == Stage::ended; }
  void detach() { connection_ = nullptr; }
  void peer_left();

 private:
  enum class Stage { fresh, begun, ended };

  /// The head up to and with its empty line. `framing` is a whole header line or empty.
  std::string render_head(int status, const Headers& headers, const std::string& framing);
  void finish();

  ServerConnection* connection_;
  ReplyShape shape_;
  Stage stage_ = Stage::fresh;
  bool close_ = false;
  bool has_body_ = true;
  bool peer_gone_ = false;
  std::function<void()> on_peer_gone_;
};

}  // namespace weighbridge::transport::detail
