#pragma once

namespace weighbridge::os {

/// Turns SIGINT and SIGTERM into a flag for the life of the object; SIGPIPE is ignored. One at a
/// time. A second signal changes nothing: the clean-up it would cut short takes milliseconds.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// True once SIGINT or SIGTERM has arrived under an InterruptGuard. Async-signal-safe to set, cheap
/// to read.
bool interrupted();

}  // namespace weighbridge::os
