#include "client/detail/stdio_session.h"

#include <utility>

#include "client/detail/await.h"
#include "client/detail/handshake.h"
#include "os/real_clock.h"
#include "protocol/json_text.h"

namespace weighbridge::client::detail {
StdioSession::StdioSession(os::Poller& poller, std::unique_ptr<transport::StdioChannel> channel,
                           const SessionOptions& options)
    : poller_(poller),
      channel_(std::move(channel)),
      negotiable_(options.era == nullptr),
      protocol_(era_to_ask_for(options), {options.client_name, options.client_version},
                options.capabilities) {
  channel_->on_closed([this](const Error& why) { on_closed(why); });
  channel_->on_line([this](std::string_view line, Instant first_byte, Instant done) {
    on_line(line, first_byte, done);
  });
}

StdioSession::~StdioSession() {
  for (const auto& [id, pending] : pending_) poller_.cancel(pending.timer);
}

Result<void> StdioSession::open(Instant deadline) {
  if (!era().handshake) return {};
  const Reply reply = await(poller_, deadline, [&](OnReply on_reply) {
    send(protocol_.initialize(), deadline, std::move(on_reply));
  });
  if (auto settled = settle_handshake(protocol_, reply, negotiable_, {}); !settled) {
    Error error = std::move(settled).error();
    if (!first_garbage_.empty())
      error.what += "; its stdout carries something else: " + protocol::quote(first_garbage_);
    return std::unexpected(std::move(error));
  }
  server_ = identity_of(protocol_.server());
  channel_->send(protocol::ClientSession::initialized());
  return {};
}

void StdioSession::start(const Call& call, Instant deadline, OnReply on_reply) {
  send(protocol_.request(call.method, call.params), deadline, std::move(on_reply));
}

void StdioSession::send(protocol::ClientSession::Request request, Instant deadline,
                        OnReply on_reply) {
  if (closed_)
    return refuse_later(poller_, std::move(request.id), why_closed_, std::move(on_reply));
  Pending& pending = pending_[request.id];
  pending.on_reply = std::move(on_reply);
  pending.reply.id = request.id;
  pending.timer = poller_.at(deadline, [this, id = request.id] { on_deadline(id); });
  const Instant sent = channel_->send(request.text);
  // Looked up again: a channel that notices its end while writing has failed the call already.
  if (const auto found = pending_.find(request.id); found != pending_.end())
    found->second.reply.sent = sent;
}

void StdioSession::on_line(std::string_view line, Instant first_byte, Instant done) {
  const protocol::Envelope message = protocol::read_message(line);
  if (message.kind != protocol::Envelope::Kind::batch)
    return on_message(message, line, first_byte, done);
  const std::weak_ptr<const bool> alive = alive_;
  const auto batch = protocol::split_batch(line);
  if (!batch) return on_message({}, line, first_byte, done);
  for (const std::string_view text : *batch) {
    on_message(protocol::read_message(text), text, first_byte, done);
    if (alive.expired()) return;
  }
}

void StdioSession::on_message(const protocol::Envelope& message, std::string_view text,
                              Instant first_byte, Instant done) {
  using Meaning = protocol::ClientSession::Meaning;
  auto received = protocol_.receive(message);
  if (received.meaning == Meaning::notification) {
    ++counters_.notifications;
    return;
  }
  if (received.meaning == Meaning::server_request) {
    ++counters_.server_requests_answered;
    channel_->send(received.reply);
    return;
  }
  const auto found = pending_.find(message.id);
  if (received.meaning != Meaning::answer || found == pending_.end()) {
    ++counters_.stray_messages;
    if (message.kind == protocol::Envelope::Kind::malformed && first_garbage_.empty())
      first_garbage_ = protocol::first_words(text, 120);
    return;
  }
  Pending pending = std::move(found->second);
  pending_.erase(found);
  poller_.cancel(pending.timer);
  pending.reply.first_byte = pending.reply.first_event = first_byte;
  pending.reply.done = done;
  pending.reply.media = Media::stdio;
  pending.reply.message = text;
  pending.reply.wire_bytes = text.size() + 1;  // the newline
  pending.on_reply(std::move(pending.reply));
}

void StdioSession::on_deadline(const std::string& id) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;
  Pending pending = std::move(found->second);
  pending_.erase(found);
  pending.reply.hung = true;
  pending.reply.done = os::now();
  pending.on_reply(std::move(pending.reply));
}

void StdioSession::on_closed(const Error& why) {
  channel_ended_ = true;
  if (!closed_) abort(why);
}

void StdioSession::abort(const Error& why) {
  closed_ = true;
  why_closed_ = why;
  // First out of our hands, then told: a handler may destroy the session.
  auto unanswered = std::exchange(pending_, {});
  for (const auto& [id, pending] : unanswered) poller_.cancel(pending.timer);
  for (auto& [id, pending] : unanswered) {
    pending.reply.error = why;
    pending.reply.done = os::now();
    pending.on_reply(std::move(pending.reply));
  }
}

std::optional<transport::StdioEnds> StdioSession::release_channel() {
  if (closed_ || channel_ == nullptr) return std::nullopt;
  abort({ErrorCode::closed, "the session's channel was handed over", {}, {}, 0});
  auto ends = channel_->release();
  channel_.reset();
  channel_ended_ = true;
  return ends;
}

void StdioSession::close(Duration grace) {
  if (channel_ == nullptr) return;
  if (!closed_) abort({ErrorCode::closed, "the session was closed", {}, {}, 0});
  channel_->close_write();
  poller_.run_until([this] { return channel_ended_; }, os::now() + grace);
  channel_.reset();
}

}  // namespace weighbridge::client::detail
