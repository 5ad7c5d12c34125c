#include "reference/http_call.h"

#include <utility>

namespace weighbridge::reference {

using transport::Headers;

void HttpCall::tell(std::string message) {
  begin_stream();
  service_.stats().bytes_sent += message.size();
  stream_->send(std::move(message));
}

void HttpCall::let_go() {
  if (!streams_) return;
  begin_stream();
  stream_->let_go();
}

void HttpCall::begin_stream() {
  if (stream_) return;
  stream_ = streams_ ? streams_->open(primes_) : std::make_shared<EventStream>();
  if (!streams_) stream_->on_lost([weak = weak_from_this()] { abandon(weak); });
  stream_->attach(reply_);
}

/// A caller that has gone wants nothing any more: certain in the stateless era. In the older ones
/// it is so unless there is a stream that it may come back to.
void HttpCall::abandon(const std::weak_ptr<HttpCall>& call) {
  const auto gone = call.lock();
  if (!gone) return;
  for (const auto ticket : gone->waiting_) gone->service_.abandon(ticket);
}

void HttpCall::watch_caller() {
  if (!stream_ && !waiting_.empty())
    reply_->on_peer_gone([weak = weak_from_this()] { abandon(weak); });
}

void HttpCall::answer(Handled handled) {
  if (stream_) {
    if (handled.answered) {
      service_.stats().bytes_sent += handled.body.size();
      stream_->send(std::move(handled.body));
    }
    return stream_->finish();
  }
  Headers headers;
  if (!new_session_.empty()) headers.push_back({"Mcp-Session-Id", new_session_});
  if (!handled.answered) return reply_->send(202, headers, {});
  service_.stats().bytes_sent += handled.body.size();
  if (!service_.options().json_response && handled.http_status == 200) {
    stream_ = std::make_shared<EventStream>();
    stream_->attach(reply_, 0, std::move(headers));
    stream_->send(std::move(handled.body));
    return stream_->finish();
  }
  headers.push_back({"Content-Type", "application/json"});
  if (handled.http_status == 503) {
    headers.push_back({"Retry-After", "30"});
    reply_->close_after();
  }
  reply_->send(handled.http_status, headers, std::move(handled.body));
}

}  // namespace weighbridge::reference
