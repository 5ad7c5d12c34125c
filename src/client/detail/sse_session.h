#pragma once

#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "client/detail/event_stream.h"
#include "client/detail/http_exchange.h"
#include "client/session.h"
#include "protocol/client_session.h"
#include "transport/http_client.h"

namespace weighbridge::client::detail {

/// A session over HTTP+SSE of 2024-11-05, which later servers speak as well: a GET that stays open
/// brings the endpoint and then every answer; messages are POSTed to the endpoint and acknowledged.
/// When the stream is lost, everything in flight is.
class SseSession final : public Session, private ExchangeOwner {
 public:
  /// How long a stream may live without naming its endpoint.
  static constexpr Duration kEndpointPatience = 10s;

  SseSession(os::Poller& poller, HttpAccess access, const SessionOptions& options);
  ~SseSession() override;

  /// ErrorCode::target when the URL answers with no stream, the stream with no endpoint, or the
  /// endpoint leads to another server: the caller's credential must not follow it there.
  Result<void> open(Instant deadline) override;
  void start(const Call& call, Instant deadline, OnReply on_reply) override;
  void abort(const Error& why) override;
  void close(Duration grace) override;

  [[nodiscard]] const protocol::Era& era() const override { return protocol_.era(); }
  [[nodiscard]] const ServerIdentity& server() const override { return server_; }
  [[nodiscard]] SessionCounters counters() const override;
  [[nodiscard]] bool closed() const override { return closed_; }
  [[nodiscard]] std::size_t in_flight() const override { return pending_.size(); }

 protected:
  os::Poller& poller() override { return poller_; }
  [[nodiscard]] protocol::ClientCapabilities capabilities() const override {
    return protocol_.capabilities();
  }
  [[nodiscard]] std::string where() const override;

 private:
  struct Pending {
    OnReply on_reply;
    Reply reply;
    os::Poller::TimerId timer = 0;
    bool posted = false;    ///< the POST has been acknowledged
    bool answered = false;  ///< the answer has come
  };

  Result<void> await_endpoint(Instant deadline);
  void send(protocol::ClientSession::Request request, std::string_view method, Instant deadline,
            OnReply on_reply);
  void post(std::string_view method, std::string body, Instant deadline, OnReply on_posted);
  void on_event(EventStream::Event& event);
  void on_message(std::string_view text, const EventStream::Event& event);
  void on_posted(const std::string& id, Reply&& posted);
  void on_stream_end(const EventStream::End& end);
  void deliver(const std::string& id);

  void on_other_message(const protocol::Envelope&) override {}
  void on_session_id(std::string_view) override {}
  void on_answer(Reply&) override {}
  void on_over(HttpExchange& exchange) override;
  std::optional<std::string> resume_request(std::string_view) override { return std::nullopt; }
  void on_resumed() override {}

  os::Poller& poller_;
  HttpAccess access_;
  bool negotiable_;
  protocol::ClientSession protocol_;
  transport::HttpClient http_;  // of the POSTs
  EventStream stream_;
  std::optional<std::string> endpoint_;  ///< path and query
  std::optional<Error> bad_endpoint_;
  std::optional<EventStream::End> stream_end_;
  ServerIdentity server_;
  SessionCounters counters_;
  std::list<std::unique_ptr<HttpExchange>> exchanges_;  // after http_: they cancel themselves there
  std::map<std::string, Pending, std::less<>> pending_;  // by id as rendered
  bool closed_ = false;
  Error why_closed_;
  /// Gone with the session: tells a loop that a handler has destroyed it.
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace weighbridge::client::detail
