#include "standin/detail/loop_thread.h"

#include <pthread.h>

#include <ctime>
#include <utility>

namespace weighbridge::standin::detail {

Result<std::unique_ptr<LoopThread>> LoopThread::create() {
  WB_TRY(auto poller, os::Poller::create());
  return std::unique_ptr<LoopThread>(new LoopThread(std::move(poller)));
}

void LoopThread::start(const std::string& name) {
  thread_ = std::thread([this] { poller_->run(); });
  ::pthread_setname_np(thread_.native_handle(), name.c_str());
}

void LoopThread::stop() {
  if (!thread_.joinable()) return;
  // The clock of a thread ends with it. What is used between here and its end is microseconds.
  cpu_of_life_ = cpu();
  poller_->stop();
  thread_.join();
}

Duration LoopThread::cpu() const {
  if (!thread_.joinable()) return cpu_of_life_;
  clockid_t clock = 0;
  timespec spent{};
  if (::pthread_getcpuclockid(thread_.native_handle(), &clock) != 0 ||
      ::clock_gettime(clock, &spent) != 0)
    return cpu_of_life_;
  return std::chrono::seconds(spent.tv_sec) + Duration(spent.tv_nsec);
}

}  // namespace weighbridge::standin::detail
