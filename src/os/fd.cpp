#include "os/fd.h"

#include <unistd.h>

namespace weighbridge::os {

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

void Fd::reset() {
  // Not retried on EINTR: on Linux the descriptor is gone either way, and a second close could hit
  // one that another thread has just been given.
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

}  // namespace weighbridge::os
