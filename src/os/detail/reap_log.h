#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/error.h"
#include "os/fd.h"
#include "os/supervisor.h"

namespace weighbridge::os::detail {

/// Everything the supervisor has reaped, in memory that it shares with the driver: one writer, any
/// readers, nothing ever forgotten.
///
/// Shared memory rather than messages, because of one instant: between wait4 and the arrival of a
/// message a process would be gone from /proc and not yet in the driver's books, and its processor
/// time nowhere. Here `generation` is odd from before wait4 until the record stands in the log. A
/// reader that finds the same even generation before and after it has read the live clocks has seen
/// every process exactly once. The log also survives the supervisor, and needs no thread to fill.
class ReapLog {
 public:
  /// An empty log. Its pages cost memory only once written.
  static Result<ReapLog> create();
  /// The same log in the other process.
  static Result<ReapLog> open(Fd memory);

  ReapLog(ReapLog&& other) noexcept;
  ReapLog& operator=(ReapLog&&) = delete;
  ReapLog(const ReapLog&) = delete;
  ReapLog& operator=(const ReapLog&) = delete;
  ~ReapLog();

  [[nodiscard]] int fd() const { return memory_.get(); }

  /// Writer: announce that a process is about to vanish; then, in either case, commit.
  void begin();
  void commit(const ExitedChild* reaped);

  [[nodiscard]] std::uint32_t generation() const;
  /// Records so far. Those that would have passed the capacity are dropped.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] ExitedChild at(std::size_t index) const;
  /// Sleeps until the generation differs from `seen` or the deadline has passed.
  void wait_for_change(std::uint32_t seen, Instant deadline) const;

 private:
  struct Layout;
  ReapLog(Fd memory, Layout* layout, std::size_t capacity)
      : memory_(std::move(memory)), layout_(layout), capacity_(capacity) {}
  static Result<ReapLog> map(Fd memory);
  Fd memory_;
  Layout* layout_ = nullptr;
  std::size_t capacity_ = 0;  ///< records: a million, or what a limit on file sizes leaves
};

}  // namespace weighbridge::os::detail
