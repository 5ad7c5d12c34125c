#include "client/detail/http_session.h"

#include <algorithm>
#include <utility>

#include "base/words.h"
#include "client/detail/await.h"
#include "client/detail/handshake.h"
#include "os/interrupt.h"
#include "os/real_clock.h"
#include "protocol/detection.h"
#include "protocol/foreign_text.h"
#include "protocol/headers.h"
#include "protocol/json_text.h"

namespace weighbridge::client::detail {
namespace {

/// For our answers to the server's own requests: nobody waits for them.
constexpr Duration kAnswerPatience = 30s;

/// How long opening waits for the session's own stream: a server that will speak on it flushes its
/// head at once, and one that holds the head back must not hold us.
constexpr Duration kStreamPatience = 1s;

/// 2025-11-25 and 2026-07-28, "Backwards compatibility".
bool refuses_like_sse(const Reply& reply) {
  if (reply.error || reply.hung) return false;
  if (reply.http_status != 400 && reply.http_status != 404 && reply.http_status != 405)
    return false;
  const protocol::Envelope message = protocol::read_message(reply.message);
  return message.kind != protocol::Envelope::Kind::error ||
         !protocol::is_stateless_error(message.error_code);
}

}  // namespace

HttpSession::HttpSession(os::Poller& poller, HttpAccess access, const SessionOptions& options)
    : poller_(poller),
      access_(std::move(access)),
      negotiable_(options.era == nullptr),
      protocol_(era_to_ask_for(options), {options.client_name, options.client_version},
                options.capabilities),
      http_(poller, access_.url, access_.max_connections, access_.way) {}

HttpSession::~HttpSession() {
  poller_.cancel(reopen_timer_);
}

std::string HttpSession::where() const {
  return name_of(access_.url);
}

Result<void> HttpSession::open(Instant deadline) {
  if (!era().handshake) return {};
  auto request = protocol_.initialize();
  const Reply reply = await(poller_, deadline, [&](OnReply on_reply) {
    send({.verb = "POST",
          .method = "initialize",
          .name = {},
          .id = request.id,
          .body = std::move(request.text)},
         deadline, std::move(on_reply));
  });
  refused_like_sse_ = refuses_like_sse(reply);
  WB_CHECK(settle_handshake(protocol_, reply, negotiable_, where()));
  server_ = identity_of(protocol_.server());

  constexpr std::string_view kInitialized = "notifications/initialized";
  const Reply noted = await(poller_, deadline, [&](OnReply on_reply) {
    send({.verb = "POST",
          .method = kInitialized,
          .name = {},
          .id = {},
          .body = protocol::ClientSession::initialized()},
         deadline, std::move(on_reply));
  });
  if (noted.error || noted.hung || noted.http_status < 200 || noted.http_status > 299)
    return std::unexpected(explain_reply(noted, std::string(kInitialized), where()));
  if (protocol_.capabilities().any() && era().server_requests) listen(deadline);
  return {};
}

void HttpSession::listen(Instant deadline) {
  stream_ = std::make_unique<EventStream>(
      poller_, access_,
      [this](EventStream::Event& event) { on_other_message(protocol::read_message(event.data)); },
      [this](const EventStream::End& end) { on_stream_end(end); });
  open_stream();
  poller_.run_until(
      [this] { return stream_->http_status() != 0 || reopen_timer_ != 0 || os::interrupted(); },
      std::min(deadline, os::now() + kStreamPatience));
}

void HttpSession::open_stream() {
  stream_->open(transport::render_request(
      "GET", access_.url.target, access_.url.authority(),
      join_headers(protocol::stream_headers(era(), session_id_, stream_->last_event_id()),
                   access_.headers),
      {}));
}

/// A server without such a stream answers 405, and that is that; one that has it may close it at
/// any time and is asked again.
void HttpSession::on_stream_end(const EventStream::End& end) {
  if (closed_ || !end.events) return;
  reopen_timer_ = poller_.at(os::now() + reopening_wait(stream_->retry()), [this] {
    if (closed_) return;
    ++counters_.streams_resumed;
    open_stream();
  });
}

std::optional<std::string> HttpSession::resume_request(std::string_view last_event_id) {
  if (closed_ || !era().sessions) return std::nullopt;
  return transport::render_request(
      "GET", access_.url.target, access_.url.authority(),
      join_headers(protocol::stream_headers(era(), session_id_, last_event_id), access_.headers),
      {});
}

void HttpSession::start(const Call& call, Instant deadline, OnReply on_reply) {
  auto request = protocol_.request(call.method, call.params);
  if (closed_)
    return refuse_later(poller_, std::move(request.id), why_closed_, std::move(on_reply));
  send({.verb = "POST",
        .method = call.method,
        .name = call.name,
        .id = std::move(request.id),
        .body = std::move(request.text),
        .param_headers = call.param_headers},
       deadline, std::move(on_reply));
}

void HttpSession::send(const Outgoing& outgoing, Instant deadline, OnReply on_reply) {
  const protocol::HeaderFacts facts{.method = outgoing.method,
                                    .name = outgoing.name,
                                    .session_id = session_id_,
                                    .params = outgoing.param_headers};
  auto ours = outgoing.verb == "DELETE" ? protocol::delete_headers(era(), session_id_)
                                        : protocol::post_headers(era(), facts);
  if (!outgoing.id.empty()) ++in_flight_;
  ExchangeOwner& owner = *this;
  // In front, so that whoever drops them all begins with those that still wait for a connection:
  // otherwise each busy one that goes would have the next of them sent.
  exchanges_.push_front(
      std::make_unique<HttpExchange>(poller_, http_, owner, outgoing.id, std::move(on_reply)));
  exchanges_.front()->send(
      transport::render_request(outgoing.verb, access_.url.target, access_.url.authority(),
                                join_headers(std::move(ours), access_.headers), outgoing.body),
      deadline);
}

void HttpSession::on_other_message(const protocol::Envelope& message) {
  using Meaning = protocol::ClientSession::Meaning;
  auto received = protocol_.receive(message);
  switch (received.meaning) {
    case Meaning::notification:
      ++counters_.notifications;
      return;
    case Meaning::server_request:
      ++counters_.server_requests_answered;
      send({.verb = "POST", .method = {}, .name = {}, .id = {}, .body = std::move(received.reply)},
           os::now() + kAnswerPatience, [](Reply&&) {});
      return;
    case Meaning::answer:
    case Meaning::stray:
      ++counters_.stray_messages;
      return;
  }
}

void HttpSession::on_session_id(std::string_view id) {
  if (era().sessions && session_id_.empty() && !closed_) session_id_ = id;
}

void HttpSession::on_answer(Reply& reply) {
  if (!reply.id.empty()) --in_flight_;
  if (reply.http_status != 404 || session_id_.empty() || reply.error || reply.hung) return;
  // Some servers answer an unknown method with 404 as well; then the answer carries our id.
  if (!reply.id.empty() && protocol::read_message(reply.message).id == reply.id) return;
  reply.error = Error{ErrorCode::closed,
                      "the session was lost: HTTP 404 " +
                          protocol::first_words(protocol::text_of_body(reply.message)),
                      where(),
                      "The server forgot the session it had opened; look for its session limit "
                      "or idle time-out",
                      0};
}

void HttpSession::on_over(HttpExchange& exchange) {
  std::erase_if(exchanges_, [&](const auto& each) { return each.get() == &exchange; });
}

SessionCounters HttpSession::counters() const {
  SessionCounters counters = counters_;
  counters.connection_resets_retried = http_.resets_retried();
  counters.connections_opened =
      http_.connections_opened() + (stream_ ? stream_->connections_opened() : 0);
  return counters;
}

void HttpSession::abort(const Error& why) {
  closed_ = true;
  why_closed_ = why;
  in_flight_ = 0;
  if (stream_) stream_->close();
  // First out of our hands, then told: a handler may destroy the session.
  std::vector<std::pair<OnReply, Reply>> unanswered;
  for (const auto& exchange : exchanges_) unanswered.push_back(exchange->give_up(why));
  exchanges_.clear();
  for (auto& [on_reply, reply] : unanswered)
    if (on_reply) on_reply(std::move(reply));
}

void HttpSession::close(Duration grace) {
  if (std::exchange(ended_, true)) return;
  const Instant deadline = os::now() + grace;
  if (!closed_) abort({ErrorCode::closed, "the session was closed", where(), {}, 0});
  const auto done = std::make_shared<bool>(session_id_.empty());
  if (!*done)
    send({.verb = "DELETE", .method = {}, .name = {}, .id = {}, .body = {}}, deadline,
         [done](Reply&&) { *done = true; });
  // 200, 204, 404, 405: whatever it says, there is nothing more to do. Not await(): an interrupt
  // must not keep the server from being told.
  poller_.run_until([&] { return *done; }, deadline);
  http_.close_idle();
}

}  // namespace weighbridge::client::detail
