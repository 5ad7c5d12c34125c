#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <span>

#include "base/clock.h"
#include "base/error.h"
#include "os/fd.h"

namespace weighbridge::os {

/// epoll without handlers, timers or locks, for the one loop in which every microsecond is on the
/// bill. Everything else uses the Poller. Level-triggered, one thread.
class Epoll {
 public:
  static Result<Epoll> create();

  /// `tag` comes back with every event of the descriptor.
  Result<void> add(int fd, std::uint32_t events, void* tag) const;
  void change(int fd, std::uint32_t events, void* tag) const;
  void remove(int fd) const;
  /// Fills `events`; how many. Waits for `timeout` at most, to the nanosecond where the thread's
  /// timer slack allows it; not at all when it is zero or negative.
  [[nodiscard]] int wait(std::span<epoll_event> events, Duration timeout) const;

 private:
  explicit Epoll(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

/// Timers of the calling thread fire when they are due: the default slack of 50 us would add its
/// length to every due instant.
void sharpen_timers();

}  // namespace weighbridge::os
