#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "client/session.h"
#include "protocol/message.h"
#include "protocol/sse_parser.h"
#include "transport/http_client.h"

namespace weighbridge::client::detail {

class HttpExchange;

/// The session, as one of its exchanges sees it.
class ExchangeOwner {
 public:
  virtual ~ExchangeOwner() = default;
  /// A message on the answer's stream that is not the answer: notification, server request, stray.
  virtual void on_other_message(const protocol::Envelope& message) = 0;
  virtual void on_session_id(std::string_view id) = 0;
  /// The caller is about to be told; the exchange may still be draining its stream.
  virtual void on_answer(Reply& reply) = 0;
  /// Nothing more will come: destroys the exchange.
  virtual void on_over(HttpExchange& exchange) = 0;
  /// The GET by which a stream is read on behind that event; nullopt where that cannot be done.
  virtual std::optional<std::string> resume_request(std::string_view last_event_id) = 0;
  virtual void on_resumed() = 0;  ///< such a GET is being sent
};

/// One HTTP request and its answer, as JSON or as a stream of events.
///
/// An answer that arrives as an event is complete at once, and its `done` is that instant; but the
/// caller is told only when the stream has ended, or after kDrainPatience, because a caller that
/// sends its next request from the callback would find the connection busy and open another one.
/// A stream that goes on is read to its end or the deadline in the background.
///
/// A stream that ends before the answer, with an event id seen, is taken up again by GET after as
/// long as the server asked to wait (2025-11-25, transports, "Resumability"), until the deadline.
class HttpExchange final : public transport::HttpSink {
 public:
  static constexpr Duration kDrainPatience = 5ms;

  /// `id`: of the request as rendered; empty when no JSON-RPC answer is expected.
  HttpExchange(os::Poller& poller, transport::HttpClient& client, ExchangeOwner& owner,
               std::string id, Session::OnReply on_reply);
  ~HttpExchange() override;
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  void send(std::string bytes, Instant deadline);
  /// The callback (empty when it was called already) and what to call it with, for the owner who
  /// is about to destroy the exchange.
  std::pair<Session::OnReply, Reply> give_up(const Error& why);

  void on_head(int status, const transport::Headers& headers) override;
  void on_body(std::string_view piece, Instant at) override;
  void on_complete(const transport::ExchangeTimes& times) override;
  void on_failure(const Error& error) override;

 private:
  void on_event(protocol::SseEvent& event);
  /// The answer within a message or a batch of them; what else is in there is passed on.
  std::optional<std::string_view> find_answer(std::string_view text);
  void take_body();
  void fill(const transport::ExchangeTimes& times);
  bool take_up_again();
  void on_deadline();
  void deliver();
  void finish();

  os::Poller& poller_;
  transport::HttpClient& client_;
  ExchangeOwner& owner_;
  Session::OnReply on_reply_;
  Reply reply_;
  protocol::SseParser parser_;
  std::string body_;
  Instant piece_at_{};  ///< when the piece being parsed was read
  Instant deadline_{};
  std::optional<transport::HttpClient::RequestId> request_;  ///< while it is the client's
  os::Poller::TimerId timer_ = 0;
  os::Poller::TimerId resume_timer_ = 0;
  bool answered_ = false;
  bool in_stream_ = false;        ///< events are being read
  bool resumed_ = false;          ///< this is no longer the first stream
  std::string resume_refused_{};  ///< why reading on did not work
};

}  // namespace weighbridge::client::detail
