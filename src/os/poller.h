#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "os/fd.h"

namespace weighbridge::os {

/// One event loop over epoll, level-triggered, for one thread. Descriptors with handlers, timers,
/// and `post` from other threads. epoll itself rather than a library: measured against Asio,
/// io_uring and libcurl it costs the driver least and shows the instant of every send.
///
/// An interrupt (os/interrupt.h) ends the round that is waiting, so that `done` is asked again.
class Poller {
 public:
  class Handler {
   public:
    virtual ~Handler() = default;
    /// `events` is epoll's mask (EPOLLIN, EPOLLOUT, EPOLLHUP, EPOLLERR).
    virtual void on_ready(std::uint32_t events) = 0;
  };
  using TimerId = std::uint64_t;

  static Result<std::unique_ptr<Poller>> create();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  /// The handler must stay alive until remove(). A handler may remove itself, or any other, from
  /// within on_ready: events already fetched for a removed descriptor are dropped.
  Result<void> add(int fd, std::uint32_t events, Handler& handler);
  Result<void> change(int fd, std::uint32_t events);
  void remove(int fd);

  /// Runs `task` once, at or after `when`, from within run_*. A timer set by a timer runs in a
  /// later round, even when it is due already.
  TimerId at(Instant when, std::function<void()> task);
  void cancel(TimerId timer);

  /// From any thread: runs `task` on the loop's thread and wakes it.
  void post(std::function<void()> task);

  /// Waits for events until `deadline` at most (timer slack of the thread is set to 1 ns),
  /// dispatches what is ready and the timers that are due. Returns after one round. May be called
  /// from within a handler or a task.
  void run_once(Instant deadline);
  /// Runs until `done()` says true (checked before the first and after every round) or `deadline`
  /// passes; true if done.
  bool run_until(const std::function<bool()>& done, Instant deadline);
  /// Runs until stop() is called, from any thread.
  void run();
  void stop();

 private:
  struct Registration;
  Poller(Fd epoll, Fd wake);

  int wait(epoll_event* events, int capacity, Instant deadline);
  void run_posted();
  void run_due_timers();

  Fd epoll_;
  Fd wake_;
  int depth_ = 0;  // of run_once within run_once
  std::map<int, std::unique_ptr<Registration>> registrations_;
  // Kept until the round in which an event may still point at them has ended.
  std::vector<std::unique_ptr<Registration>> removed_;
  std::map<std::pair<Instant, TimerId>, std::function<void()>> timers_;
  std::unordered_map<TimerId, Instant> due_;  // where in timers_ a timer stands
  TimerId next_timer_ = 1;
  std::mutex posted_mutex_;
  std::vector<std::function<void()>> posted_;
  bool stopping_ = false;
};

}  // namespace weighbridge::os
