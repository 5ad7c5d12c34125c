#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "os/poller.h"
#include "reference/failure_limit.h"
#include "reference/intake.h"
#include "reference/options.h"
#include "reference/pacer.h"
#include "reference/service.h"
#include "reference/sessions.h"
#include "transport/http_server.h"

namespace weighbridge::reference {

/// MCP over Streamable HTTP at /mcp, both eras, with or without sessions; and /health.
class HttpFront {
 public:
  /// ErrorCode::system when it cannot listen there.
  static Result<std::unique_ptr<HttpFront>> listen(os::Poller& poller, Service& service,
                                                   const Endpoint& endpoint);
  ~HttpFront();
  HttpFront(const HttpFront&) = delete;
  HttpFront& operator=(const HttpFront&) = delete;

  /// Accepts nothing more; what is being served is finished.
  void drain();
  [[nodiscard]] const transport::HttpServer& server() const { return *server_; }

 private:
  using ReplyPtr = std::shared_ptr<transport::HttpReply>;

  HttpFront(os::Poller& poller, Service& service);

  void handle(const transport::HttpRequest& request, const ReplyPtr& reply);
  void verify(const transport::HttpRequest& request, const ReplyPtr& reply);
  void unauthorized(const transport::HttpRequest& request, const ReplyPtr& reply);
  void post(const transport::HttpRequest& request, const ReplyPtr& reply);
  void listen_on(const transport::HttpRequest& request, const ReplyPtr& reply);
  void end_session(const transport::HttpRequest& request, const ReplyPtr& reply);
  [[nodiscard]] bool is_ours(const transport::HttpRequest& request) const;
  [[nodiscard]] std::string render_health() const;
  void refuse(const ReplyPtr& reply, int status, std::string_view why);
  void sweep_sessions();

  os::Poller& poller_;
  Service& service_;
  Intake intake_;
  Pacer pacer_;
  Sessions sessions_;
  FailureLimit failures_;
  std::string started_at_;
  bool draining_ = false;
  os::Poller::TimerId sweep_timer_ = 0;
  std::unique_ptr<transport::HttpServer> server_;
};

/// Whether an Accept header covers a media type; an absent one covers all.
bool accepts(std::optional<std::string_view> header, std::string_view type);
/// Whether `authority` (`host:port` or `host`) names this machine's loopback.
bool is_loopback_authority(std::string_view authority);

}  // namespace weighbridge::reference
