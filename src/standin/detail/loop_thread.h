#pragma once

#include <memory>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "os/poller.h"

namespace weighbridge::standin::detail {

/// A poller on a thread of its own. A stand-in answers while the driver measures; on the driver's
/// own loop it would delay the driver's sends, and its processor time could not be told from the
/// driver's.
class LoopThread {
 public:
  static Result<std::unique_ptr<LoopThread>> create();
  ~LoopThread() { stop(); }
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  /// Before start() and after stop() the caller's thread may use it, in between only its own.
  [[nodiscard]] os::Poller& poller() { return *poller_; }
  /// `name`: at most 15 characters, shown by ps and top.
  void start(const std::string& name);
  /// Ends the loop and waits for the thread. Idempotent.
  void stop();
  /// Processor time of the thread so far; after stop(), of its whole life.
  [[nodiscard]] Duration cpu() const;

 private:
  explicit LoopThread(std::unique_ptr<os::Poller> poller) : poller_(std::move(poller)) {}

  std::unique_ptr<os::Poller> poller_;
  // pthread_getcpuclockid wants a const-less handle, and cpu() is a mere reading.
  mutable std::thread thread_;
  Duration cpu_of_life_{};
};

}  // namespace weighbridge::standin::detail
