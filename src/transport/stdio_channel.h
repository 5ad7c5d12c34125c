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

/// Newline-framed messages over a child's stdin and stdout. Blank lines are dropped. Non-blocking
/// both ways: what the child does not read yet is queued.
class StdioChannel {
 public:
  /// `line` is without its newline, valid during the call. first_byte: when the line's first byte
  /// was read.
  using OnLine = std::function<void(std::string_view line, Instant first_byte, Instant done)>;
  using OnClosed = std::function<void(const Error& why)>;

  /// `write` and `read` are our ends (a socketpair's may be duplicates of one socket).
  StdioChannel(os::Poller& poller, os::Fd write, os::Fd read);
  ~StdioChannel();
  StdioChannel(const StdioChannel&) = delete;
  StdioChannel& operator=(const StdioChannel&) = delete;

  void on_line(OnLine handler);
  void on_closed(OnClosed handler);
  /// Appends the newline. Returns the instant just before the first byte was handed to the kernel.
  Instant send(std::string_view message);
  /// Ends the child's stdin (shutdown() on a socket), keeps reading.
  void close_write();

  [[nodiscard]] std::uint64_t bytes_read() const;
  [[nodiscard]] std::uint64_t bytes_written() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace weighbridge::transport
