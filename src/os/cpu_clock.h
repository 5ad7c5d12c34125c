#pragma once

#include <ctime>

#include "base/clock.h"

namespace weighbridge::os {

/// Processor time the calling thread has used so far.
inline Duration thread_cpu_time() {
  timespec spent{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return std::chrono::seconds(spent.tv_sec) + Duration(spent.tv_nsec);
}

}  // namespace weighbridge::os
