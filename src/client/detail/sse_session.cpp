#include "client/detail/sse_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "client/detail/await.h"
#include "client/detail/handshake.h"
#include "os/interrupt.h"
#include "os/real_clock.h"
#include "protocol/foreign_text.h"
#include "protocol/headers.h"
#include "protocol/json_text.h"

namespace weighbridge::client::detail {
namespace {

/// For messages that nobody waits for.
constexpr Duration kAnswerPatience = 30s;

bool is_good(int status) {
  return status >= 200 && status <= 299;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

/// A server that listens on every address of this machine may know itself by another one of them.
bool same_server(const transport::Url& one, const transport::Url& other) {
  return one.scheme == other.scheme && one.port == other.port &&
         (one.host == other.host || (is_loopback(one.host) && is_loopback(other.host)));
}

}  // namespace

SseSession::SseSession(os::Poller& poller, HttpAccess access, const SessionOptions& options)
    : poller_(poller),
      access_(std::move(access)),
      negotiable_(options.era == nullptr),
      protocol_(era_to_ask_for(options), {options.client_name, options.client_version},
                options.capabilities),
      http_(poller, access_.url, access_.max_connections, access_.way),
      stream_(
          poller, access_, [this](EventStream::Event& event) { on_event(event); },
          [this](const EventStream::End& end) { on_stream_end(end); }) {}

SseSession::~SseSession() {
  for (const auto& [id, pending] : pending_) poller_.cancel(pending.timer);
}

std::string SseSession::where() const {
  return name_of(access_.url);
}

Result<void> SseSession::await_endpoint(Instant deadline) {
  // The revision is not agreed on yet, so the oldest one's headers: no version among them.
  stream_.open(transport::render_request(
      "GET", access_.url.target, access_.url.authority(),
      join_headers(protocol::stream_headers(protocol::eras().front(), {}, {}), access_.headers),
      {}));
  const Instant patience = std::min(deadline, os::now() + kEndpointPatience);
  poller_.run_until(
      [this] { return endpoint_ || bad_endpoint_ || stream_end_ || os::interrupted(); }, patience);
  if (endpoint_) return {};
  if (os::interrupted())
    return fail(ErrorCode::interrupted, "interrupted while waiting for the server", where());
  if (bad_endpoint_) return std::unexpected(*bad_endpoint_);
  if (!stream_end_)
    return fail(ErrorCode::target,
                stream_.http_status() == 0
                    ? "GET was not answered in time"
                    : "the event stream did not begin with the endpoint to POST to",
                where(), "Check that the URL is that of an MCP server");
  Reply reply;
  reply.http_status = stream_end_->http_status;
  reply.retry_after = stream_end_->retry_after;
  reply.message = stream_end_->body;
  if (reply.http_status == 0 || stream_end_->events) reply.error = stream_end_->error;
  if (is_good(reply.http_status) && !stream_end_->events)
    return fail(ErrorCode::target,
                fmt::format("GET was answered with HTTP {} but no event stream", reply.http_status),
                where());
  return std::unexpected(explain_reply(reply, "GET (HTTP+SSE)", where()));
}

Result<void> SseSession::open(Instant deadline) {
  WB_CHECK(await_endpoint(deadline));
  const Reply reply = await(poller_, deadline, [&](OnReply on_reply) {
    send(protocol_.initialize(), "initialize", deadline, std::move(on_reply));
  });
  WB_CHECK(settle_handshake(protocol_, reply, negotiable_, where()));
  server_ = identity_of(protocol_.server());

  constexpr std::string_view kInitialized = "notifications/initialized";
  const Reply noted = await(poller_, deadline, [&](OnReply on_reply) {
    post(kInitialized, protocol::ClientSession::initialized(), deadline, std::move(on_reply));
  });
  if (noted.error || noted.hung || !is_good(noted.http_status))
    return std::unexpected(explain_reply(noted, std::string(kInitialized), where()));
  return {};
}

void SseSession::start(const Call& call, Instant deadline, OnReply on_reply) {
  send(protocol_.request(call.method, call.params), call.method, deadline, std::move(on_reply));
}

void SseSession::send(protocol::ClientSession::Request request, std::string_view method,
                      Instant deadline, OnReply on_reply) {
  if (closed_ || !endpoint_)
    return refuse_later(
        poller_, std::move(request.id),
        closed_ ? why_closed_ : Error{ErrorCode::closed, "the session is not open", where(), {}, 0},
        std::move(on_reply));
  Pending& pending = pending_[request.id];
  pending.on_reply = std::move(on_reply);
  pending.reply.id = request.id;
  pending.reply.sent = os::now();  // replaced by the exact instant when the POST is acknowledged
  pending.timer = poller_.at(deadline, [this, id = request.id] {
    Pending& late = pending_.at(id);
    late.reply.hung = !late.answered;
    if (late.reply.hung) late.reply.done = os::now();
    deliver(id);
  });
  post(method, std::move(request.text), deadline,
       [this, id = request.id](Reply&& posted) { on_posted(id, std::move(posted)); });
}

void SseSession::post(std::string_view method, std::string body, Instant deadline,
                      OnReply on_posted) {
  ExchangeOwner& owner = *this;
  auto headers =
      join_headers(protocol::post_headers(era(), {.method = method, .name = {}, .session_id = {}}),
                   access_.headers);
  exchanges_.push_front(
      std::make_unique<HttpExchange>(poller_, http_, owner, std::string{}, std::move(on_posted)));
  exchanges_.front()->send(
      transport::render_request("POST", *endpoint_, access_.url.authority(), headers, body),
      deadline);
}

void SseSession::on_posted(const std::string& id, Reply&& posted) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;
  Pending& pending = found->second;
  pending.posted = true;
  pending.reply.sent = posted.sent;
  pending.reply.http_status = posted.http_status;
  pending.reply.retry_after = std::move(posted.retry_after);
  if (pending.answered) return deliver(id);
  if (posted.error || !is_good(posted.http_status)) {
    // Not acknowledged: no answer will come on the stream.
    pending.reply.error = std::move(posted.error);
    pending.reply.hung = posted.hung;
    pending.reply.message = std::move(posted.message);
    pending.reply.first_byte = pending.reply.first_event = posted.first_byte;
    pending.reply.done = posted.done;
    pending.reply.wire_bytes = posted.wire_bytes;
    deliver(id);
  }
}

void SseSession::on_event(EventStream::Event& event) {
  if (event.type == "endpoint") {
    if (endpoint_ || closed_) return;
    auto endpoint = transport::resolve(access_.url, event.data);
    if (endpoint && !same_server(*endpoint, access_.url))
      endpoint = fail(ErrorCode::target,
                      fmt::format("the endpoint leads to another server: {}", name_of(*endpoint)),
                      where(), "Give the URL by which the server knows itself");
    if (endpoint) {
      endpoint_ = std::move(endpoint->target);
    } else {
      bad_endpoint_ =
          Error{ErrorCode::target,
                "the endpoint cannot be used: " + protocol::first_words(endpoint.error().what),
                where(), endpoint.error().remedy, 0};
    }
    return;
  }
  if (!event.type.empty() && event.type != "message") return;
  const std::string text = std::move(event.data);
  if (protocol::read_message(text).kind != protocol::Envelope::Kind::batch)
    return on_message(text, event);
  const std::weak_ptr<const bool> alive = alive_;
  for (const std::string_view each :
       protocol::split_batch(text).value_or(std::vector<std::string_view>{})) {
    on_message(each, event);
    if (alive.expired()) return;
  }
}

void SseSession::on_message(std::string_view text, const EventStream::Event& event) {
  using Meaning = protocol::ClientSession::Meaning;
  const protocol::Envelope message = protocol::read_message(text);
  auto received = protocol_.receive(message);
  if (received.meaning == Meaning::notification) {
    ++counters_.notifications;
    return;
  }
  if (received.meaning == Meaning::server_request) {
    ++counters_.server_requests_answered;
    if (!closed_) post({}, std::move(received.reply), os::now() + kAnswerPatience, [](Reply&&) {});
    return;
  }
  const auto found = pending_.find(message.id);
  if (received.meaning != Meaning::answer || found == pending_.end() || found->second.answered) {
    ++counters_.stray_messages;
    return;
  }
  Pending& pending = found->second;
  pending.answered = true;
  pending.reply.media = Media::sse;
  pending.reply.first_byte = pending.reply.first_event = event.first_byte;
  pending.reply.done = event.at;
  pending.reply.message = text;
  pending.reply.wire_bytes = event.bytes;
  if (pending.posted) return deliver(std::string(message.id));
  // As with an answer on a stream of its own: told when the POST is over, or a caller that sends
  // its next one from the callback would find the connection busy.
  poller_.cancel(pending.timer);
  pending.timer = poller_.at(os::now() + HttpExchange::kDrainPatience,
                             [this, id = std::string(message.id)] { deliver(id); });
}

void SseSession::deliver(const std::string& id) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;
  Pending pending = std::move(found->second);
  pending_.erase(found);
  poller_.cancel(pending.timer);
  pending.on_reply(std::move(pending.reply));
}

void SseSession::on_stream_end(const EventStream::End& end) {
  stream_end_ = end;
  if (closed_ || !endpoint_) return;
  Error error = end.error;
  error.code = ErrorCode::closed;
  error.what = "the event stream that carries the answers was lost: " + error.what;
  abort(error);
}

void SseSession::on_over(HttpExchange& exchange) {
  std::erase_if(exchanges_, [&](const auto& each) { return each.get() == &exchange; });
}

SessionCounters SseSession::counters() const {
  SessionCounters counters = counters_;
  counters.connection_resets_retried = http_.resets_retried();
  counters.connections_opened = http_.connections_opened() + stream_.connections_opened();
  return counters;
}

void SseSession::abort(const Error& why) {
  closed_ = true;
  why_closed_ = why;
  exchanges_.clear();
  // First out of our hands, then told: a handler may destroy the session.
  auto unanswered = std::exchange(pending_, {});
  for (const auto& [id, pending] : unanswered) poller_.cancel(pending.timer);
  for (auto& [id, pending] : unanswered) {
    if (!pending.answered) {
      pending.reply.error = why;
      pending.reply.done = os::now();
    }
    pending.on_reply(std::move(pending.reply));
  }
}

void SseSession::close(Duration) {
  if (!closed_) abort({ErrorCode::closed, "the session was closed", where(), {}, 0});
  stream_.close();
  http_.close_idle();
}

}  // namespace weighbridge::client::detail
