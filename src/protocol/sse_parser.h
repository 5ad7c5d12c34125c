#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace weighbridge::protocol {

/// One server-sent event.
struct SseEvent {
  std::string& data;      ///< lines joined with LF; may be moved out of
  std::string_view type;  ///< empty when the server named none, which means "message"
  std::string_view id;    ///< the last event id in force
  /// No data, but an id or an empty data line: a place to resume from, not a message.
  bool priming = false;
};

/// Incremental parser of text/event-stream (WHATWG HTML, 9.2), fed in pieces that may be split at
/// any byte. Bytes of `data` are copied once, straight to where the event is collected, and those
/// of comments and unknown fields not at all, so the work is linear in the bytes and a data line of
/// megabytes is held once.
class SseParser {
 public:
  using OnEvent = std::function<void(SseEvent&)>;
  explicit SseParser(OnEvent on_event) : on_event_(std::move(on_event)) {}

  void push(std::string_view bytes);
  /// The stream has ended and another one will carry on: an event that was not complete is dropped,
  /// the last event id and the reconnection time stay.
  void begin_new_stream();

  /// Of the last complete event: from here a stream that broke off can be taken up again.
  [[nodiscard]] const std::string& last_event_id() const { return last_event_id_; }
  /// The reconnection time the server asked for last.
  [[nodiscard]] std::optional<Duration> retry() const { return retry_; }
  [[nodiscard]] std::uint64_t comments() const { return comments_; }
  /// The stream is inside an event: if it ends here, that event is lost (the standard drops it).
  [[nodiscard]] bool inside_event() const;

 private:
  enum class Part { name, space, value };
  enum class Field { none, comment, data, type, id, retry };

  void skip_byte_order_mark(std::string_view& bytes);
  void take(std::string_view segment);
  void begin_value();
  void end_line();
  void dispatch();

  OnEvent on_event_;
  Part part_ = Part::name;
  Field field_ = Field::none;
  std::string name_;
  std::string value_;  ///< of fields other than data
  std::string data_;
  std::string type_;
  std::string last_event_id_;
  std::string id_;  ///< of the event being read
  std::optional<Duration> retry_;
  std::uint64_t comments_ = 0;
  std::size_t mark_bytes_ = 0;  ///< of a byte order mark; 3 once that question is settled
  bool after_cr_ = false;
  bool has_data_line_ = false;
  bool has_id_line_ = false;
};

}  // namespace weighbridge::protocol
