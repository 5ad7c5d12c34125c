#include "client/detail/event_stream.h"

#include <algorithm>
#include <utility>

#include "base/words.h"

namespace weighbridge::client::detail {
namespace {

/// Of a reply that is no stream of events: enough to say what it was.
constexpr std::size_t kMaxBody = 4096;

}  // namespace

Duration reopening_wait(std::optional<Duration> retry) {
  return std::max<Duration>(retry.value_or(1s), 10ms);
}

Media media_of(const transport::Headers& headers) {
  const auto type = transport::find_header(headers, "Content-Type").value_or("");
  const auto name = trim(type.substr(0, type.find(';')));
  if (equals_ignoring_case(name, "text/event-stream")) return Media::sse;
  if (equals_ignoring_case(name, "application/json")) return Media::json;
  return Media::none;
}

EventStream::EventStream(os::Poller& poller, const HttpAccess& access, OnEvent on_event,
                         OnEnd on_end)
    : http_(poller, access.url, 1, access.way),
      on_event_(std::move(on_event)),
      on_end_(std::move(on_end)),
      parser_([this](protocol::SseEvent& event) {
        if (event.priming) return;
        data_ = std::move(event.data);
        type_ = event.type;
      }) {}

EventStream::~EventStream() {
  close();
}

void EventStream::close() {
  if (request_) http_.cancel(*request_);
  request_.reset();
}

void EventStream::open(std::string request) {
  end_ = {};
  bytes_ = 0;
  parser_.begin_new_stream();
  request_ = http_.send(std::move(request), *this);
}

void EventStream::on_head(int status, const transport::Headers& headers) {
  end_.http_status = status;
  end_.events = status == 200 && media_of(headers) == Media::sse;
  end_.retry_after = transport::find_header(headers, "Retry-After").value_or("");
}

void EventStream::on_body(std::string_view piece, Instant at) {
  if (!end_.events) {
    end_.body.append(piece.substr(0, kMaxBody - std::min(kMaxBody, end_.body.size())));
    return;
  }
  const std::weak_ptr<const bool> alive = alive_;
  // Line by line, so that each event's own bytes and instants are known, and so that the parser is
  // at rest while a handler runs that may destroy it.
  while (!piece.empty()) {
    const auto line = piece.substr(0, std::min(piece.find_first_of("\r\n"), piece.size() - 1) + 1);
    piece.remove_prefix(line.size());
    // Between events stand keep-alives and the rest of a line's end: no event has begun with them.
    const bool between = bytes_ == 0 && std::string_view(":\r\n").find(line[0]) != line.npos;
    if (bytes_ == 0) first_byte_ = at;
    if (!between) bytes_ += line.size();
    parser_.push(line);
    if (!data_) continue;
    std::string data = std::move(*data_);
    data_.reset();
    Event event{.data = data,
                .type = type_,
                .first_byte = first_byte_,
                .at = at,
                .bytes = std::exchange(bytes_, 0)};
    on_event_(event);
    if (alive.expired()) return;
  }
}

void EventStream::on_complete(const transport::ExchangeTimes&) {
  finish({ErrorCode::closed, "the server ended its event stream", {}, {}, 0});
}

void EventStream::on_failure(const Error& error) {
  finish(error);
}

void EventStream::finish(Error error) {
  request_.reset();
  End end = std::move(end_);
  end.error = std::move(error);
  on_end_(end);
}

}  // namespace weighbridge::client::detail
