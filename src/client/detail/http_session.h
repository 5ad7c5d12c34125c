#pragma once

#include <list>
#include <memory>
#include <string>

#include "client/detail/event_stream.h"
#include "client/detail/http_exchange.h"
#include "client/session.h"
#include "protocol/client_session.h"
#include "transport/http_client.h"

namespace weighbridge::client::detail {

/// A session over Streamable HTTP: every message is a POST of its own. Where the server may ask
/// something back, which it may do on the session's own stream, that one is kept open too.
class HttpSession final : public Session, private ExchangeOwner {
 public:
  HttpSession(os::Poller& poller, HttpAccess access, const SessionOptions& options);
  ~HttpSession() override;

  Result<void> open(Instant deadline) override;
  void start(const Call& call, Instant deadline, OnReply on_reply) override;
  void abort(const Error& why) override;
  void close(Duration grace) override;

  [[nodiscard]] const protocol::Era& era() const override { return protocol_.era(); }
  [[nodiscard]] const ServerIdentity& server() const override { return server_; }
  [[nodiscard]] SessionCounters counters() const override;
  [[nodiscard]] bool closed() const override { return closed_; }
  [[nodiscard]] std::size_t in_flight() const override { return in_flight_; }
  [[nodiscard]] bool refused_like_sse() const override { return refused_like_sse_; }
  [[nodiscard]] std::string session_id() const override { return session_id_; }
  void close_idle() override { http_.close_idle(); }

 protected:
  os::Poller& poller() override { return poller_; }
  [[nodiscard]] protocol::ClientCapabilities capabilities() const override {
    return protocol_.capabilities();
  }
  [[nodiscard]] bool sends_param_headers() const override { return era().method_headers; }
  [[nodiscard]] std::string where() const override;

 private:
  struct Outgoing {
    std::string_view verb;    ///< POST or DELETE
    std::string_view method;  ///< of the JSON-RPC message, for the headers
    std::string_view name;
    std::string id;  ///< empty: no JSON-RPC answer is expected
    std::string body;
    std::span<const protocol::HeaderField> param_headers{};
  };
  void listen(Instant deadline);
  void open_stream();
  void on_stream_end(const EventStream::End& end);
  void send(const Outgoing& outgoing, Instant deadline, OnReply on_reply);

  void on_other_message(const protocol::Envelope& message) override;
  void on_session_id(std::string_view id) override;
  void on_answer(Reply& reply) override;
  void on_over(HttpExchange& exchange) override;
  std::optional<std::string> resume_request(std::string_view last_event_id) override;
  void on_resumed() override { ++counters_.streams_resumed; }

  os::Poller& poller_;
  HttpAccess access_;
  bool negotiable_;
  protocol::ClientSession protocol_;
  transport::HttpClient http_;
  std::string session_id_;
  ServerIdentity server_;
  SessionCounters counters_;
  std::list<std::unique_ptr<HttpExchange>> exchanges_;  // after http_: they cancel themselves there
  std::unique_ptr<EventStream> stream_;  ///< the session's own; only where it is needed
  os::Poller::TimerId reopen_timer_ = 0;
  std::size_t in_flight_ = 0;
  bool refused_like_sse_ = false;
  bool closed_ = false;
  Error why_closed_;
  bool ended_ = false;  ///< close() has been called
};

}  // namespace weighbridge::client::detail
