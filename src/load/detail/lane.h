#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "load/detail/message_text.h"
#include "load/detail/slot.h"
#include "os/epoll.h"
#include "transport/reply_reader.h"

namespace weighbridge::load::detail {

class HttpLane;

/// One complete reply, as its lane read it.
struct LaneReply {
  int http_status = 0;
  transport::ReplyReader::Media media = transport::ReplyReader::Media::other;
  const MessageText& text;
  std::uint64_t wire_bytes = 0;
  Instant done{};
  std::optional<std::string_view> plain_id;  ///< see quick_look.h
};

/// Whoever the lanes work for: renders calls and takes replies. A reply or a failure is told once
/// for each call; the slot may be given its next call from within.
class LaneOwner {
 public:
  virtual ~LaneOwner() = default;
  /// The bytes of the slot's call, the same every time; valid until the next rendering.
  virtual std::string_view render(const Slot& slot) = 0;
  [[nodiscard]] virtual bool wants_complete(const Slot& slot) const = 0;
  virtual void replied(Slot& slot, const LaneReply& reply) = 0;
  /// No reply will come. `resting`: the slot must not try again at once.
  virtual void failed(Slot& slot, std::string reason, bool resting) = 0;
  /// Nothing can be sent through the slot any more: see Slot::State::lost.
  virtual void lost(Slot& slot, const std::string& reason) = 0;
  /// A message that answers no call: notification, request of the server, stray.
  virtual std::string other_message(std::string_view text) = 0;
  /// on_wake() is to be called at that instant.
  virtual void wake_at(Instant when, HttpLane& lane) = 0;
  virtual void count_connection() = 0;
  virtual void count_retry() = 0;
  virtual void count_read(std::size_t bytes) = 0;
  [[nodiscard]] virtual std::span<char> buffer() = 0;  ///< one for all lanes of the thread
  [[nodiscard]] virtual const os::Epoll& epoll() const = 0;
};

/// One channel to the server and the slots that share it. Told of events by its worker.
class Lane {
 public:
  virtual ~Lane() = default;
  /// Sends the slot's call. Its sent instant is set here, or when the channel takes it.
  virtual void send(Slot& slot) = 0;
  virtual void on_ready(std::uint32_t events) = 0;
  /// The slot's call has hung: whatever still comes for it is nobody's.
  virtual void give_up(Slot& slot) = 0;
  virtual std::span<Slot> slots() = 0;
};

}  // namespace weighbridge::load::detail
