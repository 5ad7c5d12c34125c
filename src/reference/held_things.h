#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <memory>
#include <semaphore>
#include <vector>

#include "os/fd.h"
#include "reference/weight_plan.h"
#include "reference/weight_stats.h"

namespace weighbridge::reference {

/// Descriptors, sleeping threads and sleeping child processes, held until this goes. What the
/// kernel does not give is counted as a failure and missing from what is held.
class HeldThings {
 public:
  HeldThings(const Things& asked, WeightStats& stats);
  ~HeldThings();
  HeldThings(const HeldThings&) = delete;
  HeldThings& operator=(const HeldThings&) = delete;

 private:
  void open_descriptors(unsigned count);
  void start_threads(unsigned count);
  void start_children(unsigned count);

  WeightStats& stats_;
  std::vector<os::Fd> descriptors_;
  std::vector<pthread_t> threads_;
  std::counting_semaphore<> end_{0};
  std::vector<pid_t> children_;
};

}  // namespace weighbridge::reference
