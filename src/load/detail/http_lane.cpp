#include "load/detail/http_lane.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "load/detail/quick_look.h"
#include "os/real_clock.h"
#include "protocol/message.h"

namespace weighbridge::load::detail {
namespace {

/// As long as client::Session waits for a stream to end once its answer is there.
constexpr Duration kDrainPatience = 5ms;

using Media = transport::ReplyReader::Media;
using State = transport::ReplyReader::State;

std::string words_for(int error) {
  return std::strerror(error);
}

}  // namespace

/// Takes a body as it is read: as one text, or event by event until one is the answer.
struct HttpLane::Intake final : transport::BodySink, SseScan::Sink {
  HttpLane& lane;
  Instant at;

  Intake(HttpLane& owner, Instant now) : lane(owner), at(now) {}

  void on_body(std::string_view piece) override {
    lane.wire_bytes_ += piece.size();
    if (lane.reader_.media() == Media::sse)
      lane.events_.push(piece, *this);
    else
      lane.text_.push(piece);
  }
  void on_data(std::string_view piece) override {
    if (!lane.answered_) lane.text_.push(piece);
  }
  void on_event() override {
    Slot& slot = lane.slot_;
    if (slot.first_event == Instant{}) slot.first_event = at;
    if (lane.answered_) return;
    if (lane.text_.size() > 0 && is_answer()) {
      lane.answered_ = true;
      lane.done_ = at;
      return;
    }
    if (lane.text_.size() > 0) (void)lane.owner_.other_message(lane.text_.head());
    lane.text_.begin(slot.whole_long);
  }

  [[nodiscard]] bool is_answer() const {
    const Ends ends{lane.text_.head(), lane.text_.tail()};
    if (id_of_plain_answer(ends, false)) return true;
    if (!lane.text_.whole()) return true;  // no notification is that long
    const auto message = protocol::read_message(ends.head);
    // What cannot be read is judged as the answer it should have been.
    return message.kind == protocol::Envelope::Kind::response ||
           message.kind == protocol::Envelope::Kind::error ||
           message.kind == protocol::Envelope::Kind::malformed;
  }
};

// --- connections -------------------------------------------------------------------------------

Result<void> HttpLane::connect() {
  close();
  WB_TRY(socket_, os::connect_tcp(address_));
  watched_ = EPOLLOUT;
  if (auto added = owner_.epoll().add(socket_.get(), watched_, this); !added) {
    socket_.reset();
    return added;
  }
  phase_ = Phase::connecting;
  return {};
}

void HttpLane::close() {
  socket_.reset();  // which takes it out of epoll too
  phase_ = Phase::closed;
  used_ = false;
  draining_ = false;
  unsent_.reset();
}

void HttpLane::connected() {
  connect_error_ = os::socket_error(socket_.get());
  if (connect_error_ != 0) {
    close();
    if (in_call_) broke("cannot connect: " + words_for(connect_error_), /*resting=*/true);
    return;
  }
  phase_ = Phase::open;
  owner_.count_connection();
  watch(EPOLLIN);
  if (in_call_) write_call();
}

void HttpLane::watch(std::uint32_t events) {
  if (events == watched_) return;
  watched_ = events;
  owner_.epoll().change(socket_.get(), events, this);
}

// --- a call out --------------------------------------------------------------------------------

void HttpLane::send(Slot& slot) {
  in_call_ = true;
  slot.first_byte = slot.first_event = {};
  if (phase_ == Phase::open) return write_call();
  slot.waited = true;
  if (phase_ == Phase::connecting) return;
  if (const auto begun = connect(); !begun) broke(describe(begun.error()), /*resting=*/true);
}

void HttpLane::write_call() {
  reader_.reset();
  text_.begin(slot_.whole_long);
  events_ = {};
  wire_bytes_ = 0;
  answered_ = false;
  write_failed_ = false;
  const std::string_view bytes = owner_.render(slot_);
  if (slot_.sent == Instant{}) slot_.sent = os::now();
  const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (count == static_cast<ssize_t>(bytes.size())) return;
  if (count < 0 && errno != EAGAIN && errno != EINTR) {
    // Not yet a failure: the server may have answered before it closed. The read side decides.
    write_failed_ = true;
    return;
  }
  unsent_ =
      std::make_unique<std::string>(bytes.substr(count < 0 ? 0 : static_cast<std::size_t>(count)));
  watch(EPOLLIN | EPOLLOUT);
}

void HttpLane::write_unsent() {
  const ssize_t count = ::send(socket_.get(), unsent_->data(), unsent_->size(), MSG_NOSIGNAL);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count < 0)
    write_failed_ = true;
  else
    unsent_->erase(0, static_cast<std::size_t>(count));
  if (!write_failed_ && !unsent_->empty()) return;
  unsent_.reset();
  watch(EPOLLIN);
}

// --- a reply in --------------------------------------------------------------------------------

void HttpLane::on_ready(std::uint32_t events) {
  if (phase_ == Phase::closed) return;
  if (phase_ == Phase::connecting) {
    if ((events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) != 0) connected();
    return;
  }
  if ((events & EPOLLOUT) != 0 && unsent_) write_unsent();
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read_some();
}

void HttpLane::read_some() {
  const std::span<char> buffer = owner_.buffer();
  const ssize_t count = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
  const int error = count < 0 ? errno : 0;
  if (error == EAGAIN || error == EINTR) return;
  const Instant at = os::now();
  if (count <= 0) return read_ended(error, at);
  owner_.count_read(static_cast<std::size_t>(count));
  // Bytes that nobody asked for: the connection cannot be trusted with another call.
  if (!in_call_) return close();
  take({buffer.data(), static_cast<std::size_t>(count)}, at);
}

void HttpLane::take(std::string_view data, Instant at) {
  if (slot_.first_byte == Instant{}) slot_.first_byte = at;
  Intake intake(*this, at);
  switch (reader_.feed(data, intake)) {
    case State::more:
      text_.settle();
      if (answered_ && !std::exchange(draining_, true)) owner_.wake_at(at + kDrainPatience, *this);
      return;
    case State::whole:
      if (!answered_) done_ = at;
      return reply_ended(reader_.reusable() && !unsent_ && !write_failed_);
    case State::broken:
      if (answered_) return reply_ended(false);
      return broke("the reply is not HTTP/1.1: " + reader_.trouble());
  }
}

void HttpLane::read_ended(int error, Instant at) {
  if (!in_call_) return close();
  const bool nothing_read = slot_.first_byte == Instant{};
  if (!nothing_read && error == 0) {
    // A body without a length ends here, and only here.
    Intake intake(*this, at);
    if (reader_.finish(intake) == State::whole && !answered_) {
      done_ = at;
      return reply_ended(false);
    }
  }
  if (answered_) return reply_ended(false);
  if (nothing_read && used_ && !slot_.retried) {
    slot_.retried = true;
    slot_.waited = true;
    owner_.count_retry();
    if (const auto begun = connect(); !begun) broke(describe(begun.error()), /*resting=*/true);
    return;
  }
  std::string reason =
      error == 0 ? "the server closed the connection" : "the connection broke: " + words_for(error);
  reason += nothing_read          ? " without a reply"
            : reader_.head_done() ? " in the middle of the reply's body"
                                  : " in the middle of the reply's head";
  broke(std::move(reason));
}

void HttpLane::reply_ended(bool reusable) {
  in_call_ = false;
  draining_ = false;
  if (slot_.first_event == Instant{}) slot_.first_event = slot_.first_byte;
  const bool sse = reader_.media() == Media::sse;
  if (sse && !answered_) {
    const bool inside = events_.inside_event();
    if (!reusable) close();
    used_ = true;
    return owner_.failed(slot_,
                         inside ? "the event stream ended amid an event"
                                : "the event stream ended without the answer",
                         /*resting=*/false);
  }
  const LaneReply reply{
      .http_status = reader_.status(),
      .media = wire_bytes_ == 0 ? Media::other : reader_.media(),
      .text = text_,
      .wire_bytes = wire_bytes_,
      .done = done_,
      .plain_id = id_of_plain_answer({text_.head(), text_.tail()}, owner_.wants_complete(slot_))};
  used_ = true;
  if (!reusable) close();
  // The next call may be begun from within, and begins with its own text.
  owner_.replied(slot_, reply);
  if (!in_call_) text_.clear();
}

void HttpLane::broke(std::string reason, bool resting) {
  close();
  in_call_ = false;
  text_.clear();
  owner_.failed(slot_, std::move(reason), resting);
}

void HttpLane::give_up(Slot& /*slot*/) {
  close();
  in_call_ = false;
  text_.clear();
}

void HttpLane::on_wake(Instant now) {
  // A later call's stream has had less than its time.
  if (!draining_ || now < done_ + kDrainPatience) return;
  reply_ended(false);
}

}  // namespace weighbridge::load::detail
