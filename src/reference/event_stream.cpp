#include "reference/event_stream.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace weighbridge::reference {
namespace {

/// What a client that never comes back may cost.
constexpr std::size_t kMostEvents = 256;
constexpr std::size_t kMostBytes = 1024 * 1024;
/// How long a client waits before it comes back. Short: a caller is waiting for an answer.
constexpr int kRetryMilliseconds = 500;

bool read_number(std::string_view text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::optional<EventStream::Position> EventStream::read_id(std::string_view text) {
  const auto dash = text.find('-');
  Position at;
  if (dash == std::string_view::npos || !read_number(text.substr(0, dash), at.stream) ||
      !read_number(text.substr(dash + 1), at.event) || at.stream == 0)
    return std::nullopt;
  return at;
}

EventStream::~EventStream() {
  let_go();
}

bool EventStream::can_resume_after(std::uint64_t event) const {
  return event >= dropped_ && event <= last_;
}

void EventStream::attach(ReplyPtr reply, std::uint64_t after, transport::Headers headers) {
  let_go();
  reply_ = std::move(reply);
  headers.push_back({"Content-Type", "text/event-stream"});
  headers.push_back({"Cache-Control", "no-cache"});
  headers.push_back({"X-Accel-Buffering", "no"});
  reply_->begin(200, headers);
  if (primes_ && number_ != 0)
    reply_->write(
        fmt::format("id: {}-{}\nretry: {}\ndata: \n\n", number_, after, kRetryMilliseconds));
  for (const auto& event : kept_)
    if (event.id > after) write(event);
  if (finished_) return let_go();
  reply_->on_peer_gone([weak = weak_from_this(), reply = reply_.get()] {
    const auto stream = weak.lock();
    if (!stream || stream->reply_.get() != reply) return;
    stream->reply_.reset();
    if (stream->lost_) stream->lost_();
  });
}

void EventStream::let_go() {
  if (reply_) std::exchange(reply_, nullptr)->end();
}

void EventStream::send(transport::Body message) {
  Event event{.id = ++last_, .body = std::move(message)};
  if (reply_) write(event);
  if (number_ == 0) return;
  kept_bytes_ += event.body.size();
  kept_.push_back(std::move(event));
  forget_old();
}

void EventStream::finish() {
  finished_ = true;
  let_go();
}

void EventStream::write(const Event& event) {
  transport::Body text;
  if (number_ != 0) text.add(fmt::format("id: {}-{}\n", number_, event.id));
  text.add(std::string("event: message\ndata: "));
  for (const auto& piece : event.body.pieces()) text.add(piece);
  text.add(std::string("\n\n"));
  reply_->write(std::move(text));
}

/// The newest is kept whatever its size: it may be the answer.
void EventStream::forget_old() {
  while (kept_.size() > 1 && (kept_.size() > kMostEvents || kept_bytes_ > kMostBytes)) {
    dropped_ = kept_.front().id;
    kept_bytes_ -= kept_.front().body.size();
    kept_.pop_front();
  }
}

}  // namespace weighbridge::reference
