#include "reference/held_things.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace weighbridge::reference {
namespace {

constexpr std::size_t kStackBytes = 64 * 1024;

void* sleep_until_told(void* end) {
  static_cast<std::counting_semaphore<>*>(end)->acquire();
  return nullptr;
}

/// In a new child, which has one thread and may call little: holds nothing of its parent's open and
/// sleeps until it is killed, by its parent or by its parent's end.
[[noreturn]] void sleep_as_child(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  ::close_range(0, ~0U, 0);
  for (;;) ::pause();
}

}  // namespace

HeldThings::HeldThings(const Things& asked, WeightStats& stats) : stats_(stats) {
  open_descriptors(asked.descriptors);
  start_children(asked.children);  // before the threads: a fork copies only the one that asks
  start_threads(asked.threads);
}

void HeldThings::open_descriptors(unsigned count) {
  descriptors_.reserve(count);
  for (unsigned i = 0; i < count; ++i) {
    os::Fd descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (descriptor.valid())
      descriptors_.push_back(std::move(descriptor));
    else
      ++stats_.failures;
  }
  stats_.descriptors.take(descriptors_.size());
}

void HeldThings::start_threads(unsigned count) {
  threads_.reserve(count);
  // Signals are the poller's thread's, which they must wake.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  for (unsigned i = 0; i < count; ++i) {
    pthread_t thread{};
    if (::pthread_create(&thread, &attributes, sleep_until_told, &end_) == 0)
      threads_.push_back(thread);
    else
      ++stats_.failures;
  }
  ::pthread_attr_destroy(&attributes);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  stats_.threads.take(threads_.size());
}

void HeldThings::start_children(unsigned count) {
  children_.reserve(count);
  const pid_t self = ::getpid();
  for (unsigned i = 0; i < count; ++i) {
    const pid_t child = ::fork();
    if (child == 0) sleep_as_child(self);
    if (child > 0)
      children_.push_back(child);
    else
      ++stats_.failures;
  }
  stats_.children.take(children_.size());
}

HeldThings::~HeldThings() {
  end_.release(static_cast<std::ptrdiff_t>(threads_.size()));
  for (const auto thread : threads_) ::pthread_join(thread, nullptr);
  for (const auto child : children_) ::kill(child, SIGKILL);
  for (const auto child : children_)
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  stats_.descriptors.give_back(descriptors_.size());
  stats_.threads.give_back(threads_.size());
  stats_.children.give_back(children_.size());
}

}  // namespace weighbridge::reference
