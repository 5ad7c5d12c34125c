#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "transport/http_server.h"

namespace weighbridge::reference {

/// One stream of server-sent events. A numbered one outlives its connection: its events carry ids,
/// are kept, and are sent again to a client that comes back with the last id it saw (SEP-1699).
class EventStream : public std::enable_shared_from_this<EventStream> {
 public:
  using ReplyPtr = std::shared_ptr<transport::HttpReply>;

  /// The event at which a client stopped: `stream-event`, as its id.
  struct Position {
    std::uint64_t stream = 0;
    std::uint64_t event = 0;
  };
  /// nullopt for what is no id of ours.
  static std::optional<Position> read_id(std::string_view text);

  /// `number`: 0 for a stream without ids. `primes`: it begins with an event that has an id and no
  /// data, so that a client which loses it before the first message can come back.
  explicit EventStream(std::uint64_t number = 0, bool primes = false)
      : number_(number), primes_(primes) {}
  ~EventStream();
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] bool attached() const { return reply_ != nullptr; }
  /// Whether nothing behind `event` has been dropped, so that nothing would be missed.
  [[nodiscard]] bool can_resume_after(std::uint64_t event) const;

  /// Sends the head and what came after event `after`, then what comes; a connection it had before
  /// is ended. Whoever holds the stream keeps it alive.
  void attach(ReplyPtr reply, std::uint64_t after = 0, transport::Headers headers = {});
  /// Called when the client leaves its connection. Once set, for all connections.
  void on_lost(std::function<void()> task) { lost_ = std::move(task); }
  /// Ends the connection, not the stream.
  void let_go();
  void send(transport::Body message);
  /// Nothing comes any more: ends the connection, now or when the client has come back.
  void finish();

 private:
  struct Event {
    std::uint64_t id;
    transport::Body body;
  };
  void write(const Event& event);
  void forget_old();

  std::uint64_t number_;
  bool primes_;
  bool finished_ = false;
  std::uint64_t last_ = 0;
  std::uint64_t dropped_ = 0;  // the last event that is no longer kept
  std::size_t kept_bytes_ = 0;
  std::deque<Event> kept_;
  ReplyPtr reply_;
  std::function<void()> lost_;
};

}  // namespace weighbridge::reference
