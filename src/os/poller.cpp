#include "os/poller.h"

#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "os/interrupt.h"
#include "os/real_clock.h"

namespace weighbridge::os {

struct Poller::Registration {
  Handler* handler = nullptr;  // null once removed
  std::uint32_t events = 0;
};

namespace {

constexpr int kEventsPerRound = 128;

// The default slack of 50 us would add its length to every due instant: 98 us late at the median
// against 37 us.
void sharpen_timers_of_this_thread() {
  thread_local const bool done = ::prctl(PR_SET_TIMERSLACK, 1UL) == 0;
  (void)done;
}

timespec remaining(Instant now, Instant deadline) {
  const Duration left = std::max(deadline - now, Duration(0));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  return {.tv_sec = seconds.count(), .tv_nsec = static_cast<long>((left - seconds).count())};
}

Result<void> control(int epoll, int operation, int fd, std::uint32_t events, void* pointer) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = pointer;
  if (::epoll_ctl(epoll, operation, fd, &event) != 0)
    return std::unexpected(system_error("cannot watch a descriptor", errno));
  return {};
}

}  // namespace

Result<std::unique_ptr<Poller>> Poller::create() {
  Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.valid()) return std::unexpected(system_error("cannot create an event loop", errno));
  Fd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.valid()) return std::unexpected(system_error("cannot create an event loop", errno));
  std::unique_ptr<Poller> poller(new Poller(std::move(epoll), std::move(wake)));
  WB_CHECK(
      control(poller->epoll_.get(), EPOLL_CTL_ADD, poller->wake_.get(), EPOLLIN, &poller->wake_));
  // Edge-triggered: an interrupt must end the round it falls into, not turn all later waiting into
  // spinning.
  WB_CHECK(
      control(poller->epoll_.get(), EPOLL_CTL_ADD, interrupt_fd(), EPOLLIN | EPOLLET, nullptr));
  return poller;
}

Poller::Poller(Fd epoll, Fd wake) : epoll_(std::move(epoll)), wake_(std::move(wake)) {}
Poller::~Poller() = default;

Result<void> Poller::add(int fd, std::uint32_t events, Handler& handler) {
  auto registration = std::make_unique<Registration>(&handler, events);
  WB_CHECK(control(epoll_.get(), EPOLL_CTL_ADD, fd, events, registration.get()));
  registrations_[fd] = std::move(registration);
  return {};
}

Result<void> Poller::change(int fd, std::uint32_t events) {
  const auto found = registrations_.find(fd);
  if (found == registrations_.end())
    return std::unexpected(system_error("cannot watch a descriptor", ENOENT));
  if (found->second->events == events) return {};
  WB_CHECK(control(epoll_.get(), EPOLL_CTL_MOD, fd, events, found->second.get()));
  found->second->events = events;
  return {};
}

void Poller::remove(int fd) {
  const auto found = registrations_.find(fd);
  if (found == registrations_.end()) return;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  found->second->handler = nullptr;
  if (depth_ > 0) removed_.push_back(std::move(found->second));
  registrations_.erase(found);
}

Poller::TimerId Poller::at(Instant when, std::function<void()> task) {
  const TimerId id = next_timer_++;
  timers_.emplace(std::pair(when, id), std::move(task));
  due_.emplace(id, when);
  return id;
}

void Poller::cancel(TimerId timer) {
  const auto found = due_.find(timer);
  if (found == due_.end()) return;
  timers_.erase({found->second, timer});
  due_.erase(found);
}

void Poller::post(std::function<void()> task) {
  {
    const std::lock_guard lock(posted_mutex_);
    posted_.push_back(std::move(task));
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_.get(), &one, sizeof one);
}

int Poller::wait(epoll_event* events, int capacity, Instant deadline) {
  if (!timers_.empty()) deadline = std::min(deadline, timers_.begin()->first.first);
  const timespec timeout = remaining(now(), deadline);
  return std::max(::epoll_pwait2(epoll_.get(), events, capacity, &timeout, nullptr), 0);
}

void Poller::run_once(Instant deadline) {
  sharpen_timers_of_this_thread();
  std::array<epoll_event, kEventsPerRound> events;
  const int count = wait(events.data(), kEventsPerRound, deadline);

  ++depth_;
  bool woken = false;
  for (int i = 0; i < count; ++i) {
    void* const pointer = events[i].data.ptr;
    if (pointer == nullptr) continue;  // interrupted
    if (pointer == &wake_) {
      woken = true;
      continue;
    }
    auto* const registration = static_cast<Registration*>(pointer);
    if (registration->handler != nullptr) registration->handler->on_ready(events[i].events);
  }
  if (woken) run_posted();
  run_due_timers();
  // Only the outermost round may let go: an outer one still holds events it fetched before.
  if (--depth_ == 0) removed_.clear();
}

void Poller::run_posted() {
  std::uint64_t drained = 0;
  [[maybe_unused]] const auto read = ::read(wake_.get(), &drained, sizeof drained);
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(posted_mutex_);
    tasks.swap(posted_);
  }
  for (auto& task : tasks) task();
}

void Poller::run_due_timers() {
  if (timers_.empty()) return;
  const Instant due = now();
  const TimerId first_new = next_timer_;
  while (!timers_.empty()) {
    const auto next = timers_.begin();
    if (next->first.first > due || next->first.second >= first_new) return;
    const auto task = std::move(next->second);
    due_.erase(next->first.second);
    timers_.erase(next);
    task();
  }
}

bool Poller::run_until(const std::function<bool()>& done, Instant deadline) {
  while (!done()) {
    if (now() >= deadline) return false;
    run_once(deadline);
  }
  return true;
}

void Poller::run() {
  while (!stopping_) run_once(now() + 1h);
  stopping_ = false;
}

void Poller::stop() {
  post([this] { stopping_ = true; });
}

}  // namespace weighbridge::os
