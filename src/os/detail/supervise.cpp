// The supervisor's side: one loop that launches, reaps and, when the driver is gone, ends all.

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "os/cgroup.h"
#include "os/detail/control_channel.h"
#include "os/detail/launch.h"
#include "os/detail/reap_log.h"
#include "os/detail/reaper.h"
#include "os/process_list.h"
#include "os/real_clock.h"
#include "os/supervisor.h"

namespace weighbridge::os {
namespace {

using namespace detail;

// How long end_all waits for processes that SIGKILL does not end at once.
constexpr Duration kEndAllLimit = 30s;

class Loop {
 public:
  Loop(int control, ReapLog log, std::optional<Fd> driver, Fd child_signals)
      : control_(control),
        log_(std::move(log)),
        driver_(std::move(driver)),
        child_signals_(std::move(child_signals)),
        cgroup_(Cgroup::create("weighbridge-" + std::to_string(::getpid()))),
        reaper_(log_, cgroup_ ? &*cgroup_ : nullptr, has_children_files()) {}

  void run() {
    Reply ready{.kind = ReplyKind::ready};
    if (cgroup_) ready.set_text(cgroup_->directory());
    if (send_packet(control_, ready)) serve();
    // The driver is gone, or it let go of us: nothing that it started may stay.
    reaper_.end_all(Instant::max());
    if (cgroup_) (void)cgroup_->remove();  // a directory that is left costs nothing
  }

 private:
  void serve() {
    // The pidfd beside the socket: the driver's end of the socket may live on in a process that
    // inherited it, and then its death would not close it. A negative descriptor is not polled.
    std::array<pollfd, 3> watched{
        pollfd{.fd = control_, .events = POLLIN, .revents = 0},
        pollfd{.fd = child_signals_.get(), .events = POLLIN, .revents = 0},
        pollfd{.fd = driver_ ? driver_->get() : -1, .events = POLLIN, .revents = 0}};
    for (;;) {
      if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return;
      if (watched[2].revents != 0) return;
      if (watched[1].revents != 0) {
        signalfd_siginfo drained;
        [[maybe_unused]] const auto got = ::read(child_signals_.get(), &drained, sizeof drained);
        reaper_.reap();
      }
      if (watched[0].revents != 0 && !answer()) return;
    }
  }

  bool answer() {
    Request request;
    std::vector<Fd> descriptors;
    if (!receive_packet(control_, request, descriptors)) return false;
    switch (request.kind) {
      case RequestKind::hello:
        return false;  // said once, before the loop
      case RequestKind::spawn:
        return send_packet(control_, spawn(descriptors));
      case RequestKind::signal:
        // What has ended and not been reaped yet is still ours; what has been reaped is not, and
        // its number may be somebody else's.
        if (reaper_.knows(request.pid)) ::kill(request.pid, request.signal);
        return true;
      case RequestKind::end_all:
        return end_all();
    }
    return false;
  }

  Reply spawn(const std::vector<Fd>& descriptors) {
    Reply refused{.kind = ReplyKind::refused, .error = EBADMSG, .step = LaunchStep::words};
    if (descriptors.size() != kMaxDescriptors) return refused;
    const auto words = unpack(descriptors[0]);
    if (!words) return refused;
    const auto child = launch(*words, descriptors[1], descriptors[2], descriptors[3],
                              cgroup_ ? cgroup_->fd() : -1);
    if (!child) {
      refused.error = child.error().error;
      refused.step = child.error().step;
      return refused;
    }
    reaper_.expect(child->pid);
    return {.kind = ReplyKind::spawned,
            .pid = child->pid,
            .before_spawn_ns = child->before_spawn.time_since_epoch().count(),
            .exec_returned_ns = child->exec_returned.time_since_epoch().count()};
  }

  bool end_all() {
    for (const Survivor& each : reaper_.end_all(now() + kEndAllLimit)) {
      Reply survivor{.kind = ReplyKind::survivor, .pid = each.pid};
      survivor.set_text(each.command);
      if (!send_packet(control_, survivor)) return false;
    }
    return send_packet(control_, Reply{.kind = ReplyKind::ended});
  }

  int control_;
  ReapLog log_;
  std::optional<Fd> driver_;
  Fd child_signals_;
  std::optional<Cgroup> cgroup_;
  Reaper reaper_;
};

// Out of the reach of whatever ends the driver: another session, no signal but SIGKILL, no
// descriptor that the driver's readers wait to see closed.
void step_aside(int control) {
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1UL);
  for (int number = 1; number < NSIG; ++number) {
    const bool is_fault = number == SIGSEGV || number == SIGBUS || number == SIGFPE ||
                          number == SIGILL || number == SIGABRT || number == SIGTRAP;
    if (!is_fault && number != SIGCHLD) ::signal(number, SIG_IGN);
  }
  ::signal(SIGCHLD, SIG_DFL);
  ::close_range(static_cast<unsigned>(control) + 1, ~0U, 0);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int number = 0; number < 3; ++number) ::dup2(null, number);
  if (null > 2) ::close(null);
  ::fcntl(control, F_SETFD, FD_CLOEXEC);
}

}  // namespace

int supervise_main(int argc, char** argv) {
  constexpr int kMisused = 2;
  int control = -1;
  if (argc > 2) std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), control);
  if (control < 3) return kMisused;
  step_aside(control);

  sigset_t child_signals;
  ::sigemptyset(&child_signals);
  ::sigaddset(&child_signals, SIGCHLD);
  ::sigprocmask(SIG_SETMASK, &child_signals, nullptr);
  Fd signals(::signalfd(-1, &child_signals, SFD_CLOEXEC | SFD_NONBLOCK));

  Request hello;
  std::vector<Fd> descriptors;
  if (!receive_packet(control, hello, descriptors) || hello.kind != RequestKind::hello ||
      descriptors.empty())
    return kMisused;
  auto log = ReapLog::open(std::move(descriptors[0]));
  if (!log) return kMisused;
  std::optional<Fd> driver;
  if (descriptors.size() > 1) driver = std::move(descriptors[1]);
  Loop(control, std::move(*log), std::move(driver), std::move(signals)).run();
  return 0;
}

}  // namespace weighbridge::os
