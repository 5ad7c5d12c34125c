#include "client/detail/http_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "client/detail/event_stream.h"
#include "client/detail/handshake.h"
#include "os/real_clock.h"

namespace weighbridge::client::detail {
namespace {

/// A length that a server states is believed up to here; a longer body grows as it comes.
constexpr std::size_t kMaxReserve = 16 * 1024 * 1024;

std::size_t stated_length(const transport::Headers& headers) {
  const auto text = transport::find_header(headers, "Content-Length").value_or("");
  std::size_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  return std::min(length, kMaxReserve);
}

/// Never followed: the figures would be of a server that nobody named, and of two requests a call.
Error redirected(const transport::Url& from, int status, std::string_view location) {
  const auto to = transport::resolve(from, location);
  const std::string target = to ? name_of(*to) : "what is no URL";
  return {ErrorCode::target, fmt::format("the server redirects to {} (HTTP {})", target, status),
          name_of(from), "Redirects are not followed: give that URL", 0};
}

}  // namespace

HttpExchange::HttpExchange(os::Poller& poller, transport::HttpClient& client, ExchangeOwner& owner,
                           std::string id, Session::OnReply on_reply)
    : poller_(poller),
      client_(client),
      owner_(owner),
      on_reply_(std::move(on_reply)),
      parser_([this](protocol::SseEvent& event) { on_event(event); }) {
  reply_.id = std::move(id);
}

HttpExchange::~HttpExchange() {
  poller_.cancel(timer_);
  poller_.cancel(resume_timer_);
  if (request_) client_.cancel(*request_);
}

void HttpExchange::send(std::string bytes, Instant deadline) {
  deadline_ = deadline;
  timer_ = poller_.at(deadline, [this] { on_deadline(); });
  reply_.sent = os::now();  // replaced by the exact instant when the exchange completes
  request_ = client_.send(std::move(bytes), *this);
}

std::pair<Session::OnReply, Reply> HttpExchange::give_up(const Error& why) {
  if (!answered_) {
    reply_.error = why;
    reply_.done = os::now();
  }
  return {std::exchange(on_reply_, nullptr), std::move(reply_)};
}

void HttpExchange::on_head(int status, const transport::Headers& headers) {
  if (resumed_) {
    const bool events = status == 200 && media_of(headers) == Media::sse;
    resume_refused_ = events ? "" : fmt::format("HTTP {} to its GET", status);
    in_stream_ = events;
    return;
  }
  reply_.http_status = status;
  reply_.media = media_of(headers);
  in_stream_ = status == 200 && reply_.media == Media::sse;
  reply_.retry_after = transport::find_header(headers, "Retry-After").value_or("");
  if (const auto id = transport::find_header(headers, "Mcp-Session-Id")) owner_.on_session_id(*id);
  const auto location = transport::find_header(headers, "Location");
  if (status >= 300 && status < 400 && location)
    reply_.error = redirected(client_.server(), status, *location);
  if (reply_.media != Media::sse) body_.reserve(stated_length(headers));
}

void HttpExchange::on_body(std::string_view piece, Instant at) {
  if (!resume_refused_.empty()) return;
  if (reply_.wire_bytes == 0) reply_.first_byte = at;
  reply_.wire_bytes += piece.size();
  if (reply_.media != Media::sse) {
    body_ += piece;
    return;
  }
  const bool answered_before = answered_;
  piece_at_ = at;
  parser_.push(piece);
  if (answered_before || !answered_) return;
  poller_.cancel(timer_);
  timer_ = poller_.at(std::min(os::now() + kDrainPatience, deadline_), [this] {
    timer_ = poller_.at(deadline_, [this] { on_deadline(); });
    deliver();
  });
}

void HttpExchange::on_event(protocol::SseEvent& event) {
  if (reply_.first_event == Instant{}) reply_.first_event = piece_at_;
  if (event.priming || answered_) return;
  const auto answer = find_answer(event.data);
  if (!answer) return;
  if (answer->size() == event.data.size()) {
    reply_.message = std::move(event.data);
  } else {
    reply_.message = *answer;
  }
  reply_.done = piece_at_;
  answered_ = true;
}

std::optional<std::string_view> HttpExchange::find_answer(std::string_view text) {
  using Kind = protocol::Envelope::Kind;
  const protocol::Envelope message = protocol::read_message(text);
  if (message.kind == Kind::batch) {
    std::optional<std::string_view> answer;
    for (const std::string_view each :
         protocol::split_batch(text).value_or(std::vector<std::string_view>{})) {
      if (each.starts_with('[')) continue;  // batches do not nest
      if (const auto found = find_answer(each)) answer = found;
    }
    return answer;
  }
  if ((message.kind == Kind::response || message.kind == Kind::error) && message.id == reply_.id)
    return text;
  owner_.on_other_message(message);
  return std::nullopt;
}

/// A JSON body is the answer as it stands, whatever it says: judging it is the reader's. Only a
/// batch (2025-03-26) is opened, to find the one message that is ours.
void HttpExchange::take_body() {
  if (body_.starts_with('[')) {
    if (const auto answer = find_answer(body_)) {
      reply_.message = *answer;
      return;
    }
  }
  reply_.message = std::move(body_);
}

void HttpExchange::fill(const transport::ExchangeTimes& times) {
  if (!resumed_) {
    reply_.sent = times.sent;
    reply_.first_byte = times.first_byte;
  }
  if (!answered_) reply_.done = times.done;
  if (reply_.first_event == Instant{}) reply_.first_event = times.first_byte;
  if (reply_.media != Media::sse) {
    take_body();
  } else if (!answered_ && !reply_.id.empty()) {
    std::string what = parser_.inside_event() ? "the event stream ended amid an event"
                                              : "the event stream ended without the answer";
    if (!resume_refused_.empty()) what += " and could not be taken up again: " + resume_refused_;
    reply_.error = Error{ErrorCode::closed, std::move(what), {}, {}, 0};
  }
  if (reply_.wire_bytes == 0) reply_.media = Media::none;
}

void HttpExchange::on_complete(const transport::ExchangeTimes& times) {
  request_.reset();
  if (!resumed_) {
    reply_.sent = times.sent;
    if (reply_.wire_bytes == 0) reply_.first_byte = times.first_byte;
  }
  if (take_up_again()) return;
  if (on_reply_) fill(times);
  finish();
}

bool HttpExchange::take_up_again() {
  const bool unfinished = on_reply_ && !answered_ && !reply_.id.empty();
  if (!unfinished || !in_stream_ || parser_.last_event_id().empty()) return false;
  if (!owner_.resume_request(parser_.last_event_id())) return false;
  resumed_ = true;
  in_stream_ = false;
  parser_.begin_new_stream();
  resume_timer_ = poller_.at(os::now() + reopening_wait(parser_.retry()), [this] {
    auto request = owner_.resume_request(parser_.last_event_id());
    if (!request) return;  // the session has ended, and this call with it
    owner_.on_resumed();
    request_ = client_.send(std::move(*request), *this);
  });
  return true;
}

void HttpExchange::on_failure(const Error& error) {
  request_.reset();
  if (take_up_again()) return;
  // An answer that is complete stays one, however its stream ends.
  if (!answered_) {
    reply_.error = error;
    reply_.done = os::now();
  }
  finish();
}

void HttpExchange::on_deadline() {
  if (!answered_) {
    reply_.hung = true;
    reply_.done = os::now();
  }
  finish();
}

void HttpExchange::deliver() {
  if (!on_reply_) return;
  owner_.on_answer(reply_);
  const auto on_reply = std::exchange(on_reply_, nullptr);
  // Moved out first: the handler may destroy the session, and this exchange with it.
  Reply reply = std::move(reply_);
  on_reply(std::move(reply));
}

void HttpExchange::finish() {
  if (on_reply_) owner_.on_answer(reply_);
  const auto on_reply = std::exchange(on_reply_, nullptr);
  Reply reply = std::move(reply_);
  owner_.on_over(*this);  // destroys this
  if (on_reply) on_reply(std::move(reply));
}

}  // namespace weighbridge::client::detail
