#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "load/detail/lane.h"
#include "load/detail/sse_scan.h"
#include "os/fd.h"
#include "os/network.h"
#include "transport/reply_reader.h"

namespace weighbridge::load::detail {

/// One keep-alive connection, one call at a time.
///
/// A reused connection that the server closed before the first byte of a reply is replaced and the
/// call sent again (once), as client::Session does it. An answer that came as an event counts from
/// the instant its event was whole; a stream that then does not end is cut off after a moment.
class HttpLane final : public Lane {
 public:
  HttpLane(LaneOwner& owner, const os::Address& address) : owner_(owner), address_(address) {
    slot_.lane = this;
  }

  /// Begins to connect, ahead of the first call. The event of its completion is handled as any.
  Result<void> connect();
  [[nodiscard]] bool connecting() const { return phase_ == Phase::connecting; }
  [[nodiscard]] bool open() const { return phase_ == Phase::open; }
  /// The system's error number of the last attempt to connect; 0 when it succeeded.
  [[nodiscard]] int connect_error() const { return connect_error_; }
  void close();

  void send(Slot& slot) override;
  void on_ready(std::uint32_t events) override;
  void give_up(Slot& slot) override;
  /// Cuts off a stream that goes on although the answer is there, if there still is one.
  void on_wake(Instant now);
  std::span<Slot> slots() override { return {&slot_, 1}; }

 private:
  enum class Phase : std::uint8_t { closed, connecting, open };
  struct Intake;  // what a read causes, in the body

  void connected();
  void write_call();
  void write_unsent();
  void read_some();
  void take(std::string_view data, Instant at);
  void read_ended(int error, Instant at);
  void reply_ended(bool reusable);
  void broke(std::string reason, bool resting = false);
  void watch(std::uint32_t events);

  LaneOwner& owner_;
  const os::Address& address_;
  std::unique_ptr<std::string> unsent_;  // the rest of a call that the kernel did not take at once
  Slot slot_;
  MessageText text_;
  std::uint64_t wire_bytes_ = 0;
  Instant done_{};
  os::Fd socket_;
  int connect_error_ = 0;
  SseScan events_;
  std::uint32_t watched_ = 0;
  Phase phase_ = Phase::closed;
  bool used_ = false;      // has carried a whole reply
  bool in_call_ = false;   // a call of ours is on the connection
  bool answered_ = false;  // by an event; the stream may go on
  bool draining_ = false;  // the worker will look whether it does
  bool write_failed_ = false;
  transport::ReplyReader reader_;
};

// The budget of engines.md for a connection; the call that is on it included.
static_assert(sizeof(HttpLane) <= 300);

}  // namespace weighbridge::load::detail
