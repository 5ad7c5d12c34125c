#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "os/fd.h"
#include "os/poller.h"

namespace weighbridge::transport {

/// Drains one output of a child for as long as it lives and keeps the end of it, for the message
/// about a target that died. Never left unread: a child blocks when its stderr pipe is full, and a
/// benchmark would measure that.
class OutputTail {
 public:
  static constexpr std::size_t kKeptBytes = 64 * 1024;

  /// `output` is our end of the child's stderr or stdout; made non-blocking here.
  OutputTail(os::Poller& poller, os::Fd output);
  ~OutputTail();
  OutputTail(const OutputTail&) = delete;
  OutputTail& operator=(const OutputTail&) = delete;

  /// The last bytes written, at most kKeptBytes. Foreign bytes: may be cut amid a character.
  [[nodiscard]] std::string tail() const;
  /// The last `count` lines that are not blank, oldest first, without newline or CR.
  [[nodiscard]] std::vector<std::string> last_lines(std::size_t count) const;
  [[nodiscard]] std::uint64_t total_bytes() const;
  /// The child, and whoever inherited the descriptor, has closed it.
  [[nodiscard]] bool ended() const;
  /// Reads what is there now, without waiting for the poller: for the moment after a child died.
  void drain();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace weighbridge::transport
