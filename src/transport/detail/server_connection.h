#pragma once

#include <llhttp.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "os/fd.h"
#include "os/poller.h"
#include "transport/detail/output_queue.h"
#include "transport/detail/server_reply.h"
#include "transport/http_server.h"

namespace weighbridge::transport::detail {

class ServerConnection;

/// What the connections of one server share.
struct ServerContext {
  os::Poller& poller;
  HttpServer::Options options;
  HttpServer::Handler handler;
  bool stopping = false;
  std::unordered_map<ServerConnection*, std::shared_ptr<ServerConnection>> connections = {};
};

/// One peer: reads requests one after the other, each only when the reply before it has gone.
class ServerConnection final : public os::Poller::Handler,
                               public std::enable_shared_from_this<ServerConnection> {
 public:
  ServerConnection(std::shared_ptr<ServerContext> context, os::Fd socket, std::string peer);
  ~ServerConnection() override { close(); }
  ServerConnection(const ServerConnection&) = delete;
  ServerConnection& operator=(const ServerConnection&) = delete;

  Result<void> open();
  /// Until the connection is closed.
  void keep(std::shared_ptr<void> thing) { kept_ = std::move(thing); }
  /// At once, with whatever is unsent.
  void close();
  /// If nothing is being asked or answered.
  void close_if_idle();

  void on_ready(std::uint32_t events) override;

  // For the reply.
  [[nodiscard]] OutputQueue& output() { return output_; }
  [[nodiscard]] bool stopping() const { return context_->stopping; }
  void flush();
  void close_when_sent();
  void forget(const ServerReply& reply);

  struct Callbacks;  // llhttp's, in the body

 private:
  void read_some();
  void feed(std::string_view data);
  void feed_pending();
  void dispatch();
  void refuse(llhttp_errno_t code);
  void settle();
  void say_goodbye();
  void peer_left();
  void watch();
  [[nodiscard]] bool answering() const { return reply_ != nullptr && !reply_->ended(); }
  [[nodiscard]] bool ready_for_request() const;

  static const llhttp_settings_t& settings();
  int begin_request();
  int count_head(std::size_t bytes);
  int head_ended();
  int body_piece(std::string_view piece);
  int stop_with(int status);

  std::shared_ptr<ServerContext> context_;
  os::Fd socket_;
  std::string peer_;
  std::uint32_t events_ = 0;
  llhttp_t parser_;

  HttpRequest request_;
  ReplyShape shape_;
  std::size_t head_bytes_ = 0;
  int refusal_ = 0;  // the status that stopped the parser, if we did
  bool in_request_ = false;
  bool head_done_ = false;
  bool in_value_ = false;

  ServerReply* reply_ = nullptr;  // of the request before last is nobody's business
  OutputQueue output_;
  std::string pending_;  // read, but not yet looked at
  bool corked_ = false;  // the handler is running: its writes are joined
  bool peer_done_ = false;
  bool close_when_sent_ = false;
  bool saying_goodbye_ = false;
  bool closed_ = false;
  std::shared_ptr<void> kept_;
};

}  // namespace weighbridge::transport::detail
