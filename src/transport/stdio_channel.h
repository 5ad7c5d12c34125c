#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "os/fd.h"
#include "os/poller.h"
#include "transport/http_message.h"

namespace weighbridge::transport {

/// Our ends of a child's stdin and stdout, non-blocking, with what was read of a line whose end has
/// not come.
struct StdioEnds {
  os::Fd write;
  os::Fd read;
  std::string unread;
};

/// Newline-framed messages over a child's stdin and stdout. Blank lines are dropped, a CR before
/// the newline too. Non-blocking both ways: what the child does not read yet is queued.
///
/// A handler may destroy the channel, replace itself or send, all from within its call.
class StdioChannel {
 public:
  /// `line` is without its newline, valid during the call. first_byte: when the line's first byte
  /// was read.
  using OnLine = std::function<void(std::string_view line, Instant first_byte, Instant done)>;
  using OnClosed = std::function<void(const Error& why)>;

  /// A line longer than this closes the channel (ErrorCode::malformed): a child that writes without
  /// end must not take the driver's memory with it.
  static constexpr std::size_t kMaxLineBytes = 256 * 1024 * 1024;

  /// `write` and `read` are our ends (a socketpair's may be duplicates of one socket). With a pipe
  /// to write to, SIGPIPE is ignored from here on if nobody handles it: a child that dies must not
  /// end the driver, and a pipe has no MSG_NOSIGNAL.
  StdioChannel(os::Poller& poller, os::Fd write, os::Fd read);
  ~StdioChannel();
  StdioChannel(const StdioChannel&) = delete;
  StdioChannel& operator=(const StdioChannel&) = delete;

  /// Nothing is read before the first handler is set, so no line is lost.
  void on_line(OnLine handler);
  /// Called once, after the last line: ErrorCode::closed at the end of the child's output (the text
  /// says so if it ended amid a line) or when the child no longer reads; system for a failed read.
  void on_closed(OnClosed handler);
  /// Appends the newline. Returns the instant just before the first byte was handed to the kernel
  /// (or, behind messages that the child has not read yet, was queued).
  Instant send(std::string_view message);
  /// Ends the child's stdin (shutdown() on a socket) once what was sent has been written; keeps
  /// reading.
  void close_write();
  /// Gives up the channel without closing it: no handler is called again.
  StdioEnds release();

  [[nodiscard]] std::uint64_t bytes_read() const;
  [[nodiscard]] std::uint64_t bytes_written() const;

 private:
  class State;
  std::shared_ptr<State> state_;  // shared with the frames that are calling a handler
};

}  // namespace weighbridge::transport
