#pragma once

namespace weighbridge::os {

/// Turns SIGINT and SIGTERM into a flag for the life of the object; SIGPIPE and SIGXFSZ are
/// ignored: the write that meets them fails with an error that can be told. One at a time. A second
/// signal changes nothing: the clean-up it would cut short takes milliseconds.
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

/// Becomes readable when the flag is set, and stays so until the next guard is made. Every Poller
/// watches it and ends its round, on whatever thread the signal landed.
int interrupt_fd();

}  // namespace weighbridge::os
