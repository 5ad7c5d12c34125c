#include "client/detail/http_session.h"

#include <algorithm>
#include <utility>

#include "base/words.h"
#include "client/detail/await.h"
#include "client/detail/handshake.h"
#include "os/real_clock.h"
#include "protocol/headers.h"
#include "protocol/json_text.h"

namespace weighbridge::client::detail {
namespace {

/// For our answers to the server's own requests: nobody waits for them.
constexpr Duration kAnswerPatience = 30s;

const protocol::Era& era_of(const SessionOptions& options) {
  return options.era != nullptr ? *options.era : protocol::newest_handshake_era();
}

/// Ours, then the plan's. A header that the plan gives replaces ours of that name: whoever writes
/// one wants to see what the server makes of it.
transport::Headers join(std::vector<protocol::HeaderField> ours, const transport::Headers& given) {
  transport::Headers headers;
  for (auto& header : ours)
    if (!transport::find_header(given, header.name))
      headers.push_back({std::move(header.name), std::move(header.value)});
  headers.insert(headers.end(), given.begin(), given.end());
  return headers;
}

}  // namespace

HttpSession::HttpSession(os::Poller& poller, HttpAccess access, const SessionOptions& options)
    : poller_(poller),
      access_(std::move(access)),
      negotiable_(options.era == nullptr),
      protocol_(era_of(options), {options.client_name, options.client_version}),
      http_(poller, access_.url, access_.max_connections, access_.way) {}

HttpSession::~HttpSession() = default;

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
  return {};
}

void HttpSession::start(const Call& call, Instant deadline, OnReply on_reply) {
  auto request = protocol_.request(call.method, call.params);
  if (closed_)
    return refuse_later(poller_, std::move(request.id), why_closed_, std::move(on_reply));
  send({.verb = "POST",
        .method = call.method,
        .name = call.name,
        .id = std::move(request.id),
        .body = std::move(request.text)},
       deadline, std::move(on_reply));
}

void HttpSession::send(const Outgoing& outgoing, Instant deadline, OnReply on_reply) {
  const protocol::HeaderFacts facts{
      .method = outgoing.method, .name = outgoing.name, .session_id = session_id_};
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
                                join(std::move(ours), access_.headers), outgoing.body),
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
  if (reply.http_status == 404 && !session_id_.empty() && !reply.error && !reply.hung)
    reply.error =
        Error{ErrorCode::closed,
              "the session was lost: HTTP 404 " + protocol::first_words(reply.message), where(),
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
  counters.connections_opened = http_.connections_opened();
  return counters;
}

void HttpSession::abort(const Error& why) {
  closed_ = true;
  why_closed_ = why;
  in_flight_ = 0;
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
