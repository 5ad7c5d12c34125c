#include "os/epoll.h"

#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace weighbridge::os {
namespace {

int control(int epoll, int operation, int fd, std::uint32_t events, void* tag) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = tag;
  return ::epoll_ctl(epoll, operation, fd, &event);
}

}  // namespace

Result<Epoll> Epoll::create() {
  Fd fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!fd.valid()) return std::unexpected(system_error("cannot create an event loop", errno));
  return Epoll(std::move(fd));
}

Result<void> Epoll::add(int fd, std::uint32_t events, void* tag) const {
  if (control(fd_.get(), EPOLL_CTL_ADD, fd, events, tag) == 0) return {};
  return std::unexpected(system_error("cannot watch a descriptor", errno));
}

void Epoll::change(int fd, std::uint32_t events, void* tag) const {
  control(fd_.get(), EPOLL_CTL_MOD, fd, events, tag);
}

void Epoll::remove(int fd) const {
  control(fd_.get(), EPOLL_CTL_DEL, fd, 0, nullptr);
}

int Epoll::wait(std::span<epoll_event> events, Duration timeout) const {
  const auto capacity = static_cast<int>(events.size());
  if (timeout <= Duration::zero())
    return std::max(::epoll_wait(fd_.get(), events.data(), capacity, 0), 0);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
  const timespec span{.tv_sec = seconds.count(),
                      .tv_nsec = static_cast<long>((timeout - seconds).count())};
  return std::max(::epoll_pwait2(fd_.get(), events.data(), capacity, &span, nullptr), 0);
}

void sharpen_timers() {
  ::prctl(PR_SET_TIMERSLACK, 1UL);
}

}  // namespace weighbridge::os
