#include "os/interrupt.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace weighbridge::os {
namespace {

constexpr std::array kHandled{SIGINT, SIGTERM, SIGPIPE, SIGXFSZ};
constexpr bool is_ignored(int number) {
  return number == SIGPIPE || number == SIGXFSZ;
}

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");
int wake_fd = -1;
std::array<struct sigaction, kHandled.size()> previous;

void on_signal(int) {
  const int saved_errno = errno;
  flag.store(true);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(wake_fd, &one, sizeof one);
  errno = saved_errno;
}

}  // namespace

int interrupt_fd() {
  // Made once and never closed: pollers may outlive the guard that they were made under.
  static const int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return fd;
}

InterruptGuard::InterruptGuard() {
  wake_fd = interrupt_fd();
  std::uint64_t drained = 0;
  [[maybe_unused]] const auto read = ::read(wake_fd, &drained, sizeof drained);
  flag = false;
  for (std::size_t i = 0; i < kHandled.size(); ++i) {
    struct sigaction action{};
    action.sa_handler = is_ignored(kHandled[i]) ? SIG_IGN : on_signal;
    // Restarted, because waiting is epoll's alone and epoll is woken by the descriptor: no other
    // code has to expect EINTR.
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(kHandled[i], &action, &previous[i]);
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < kHandled.size(); ++i) ::sigaction(kHandled[i], &previous[i], nullptr);
}

bool interrupted() {
  return flag.load(std::memory_order_relaxed);
}

}  // namespace weighbridge::os
