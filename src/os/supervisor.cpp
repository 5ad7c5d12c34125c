#include "os/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "os/detail/control_channel.h"
#include "os/detail/reap_log.h"
#include "os/fd.h"
#include "os/real_clock.h"

namespace weighbridge::os {

using namespace detail;

namespace {

// The socket's number in the supervisor.
constexpr int kControl = 3;
constexpr int kLongestEndMs = 35'000;
constexpr std::chrono::seconds kLongestGreeting = 20s;

std::unexpected<Error> supervisor_gone() {
  return fail(ErrorCode::run, "the supervisor process has ended", {},
              "Something killed it; start again.");
}

// <sys/pidfd.h> of glibc 2.36 forgets that C++ exists.
Fd open_pidfd(pid_t pid) {
  return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

Result<pid_t> execute(const std::string& program, const Fd& control) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, control.get(), kControl);
  std::string words[] = {program, "supervise", std::to_string(kControl)};
  char* const argv[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t pid = 0;
  const int error =
      ::posix_spawn(&pid, program.c_str(), &actions, /*attributes=*/nullptr, argv, ::environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return std::unexpected(system_error("cannot start the supervisor", error));
  return pid;
}

Error launch_error(const SpawnRequest& request, const Reply& refused) {
  const std::string command = request.argv.empty() ? "" : request.argv[0];
  Error error = system_error("cannot run \"" + command + "\"", refused.error);
  error.code = ErrorCode::target;
  switch (refused.step) {
    case LaunchStep::words:
    case LaunchStep::fork:
      error.code = ErrorCode::system;
      break;
    case LaunchStep::directory:
      error =
          system_error("cannot enter the directory \"" + request.directory + "\"", refused.error);
      error.code = ErrorCode::target;
      break;
    case LaunchStep::descriptors:
      error.where = "setting its descriptor limit";
      error.remedy = "Ask for fewer descriptors, or raise the hard limit (ulimit -Hn).";
      break;
    case LaunchStep::cpus:
      error.where = "choosing its cores";
      error.remedy = "Name cores that this process may use.";
      break;
    case LaunchStep::execute:
      if (refused.error == ENOENT)
        error.remedy = command.find('/') == std::string::npos
                           ? "Is it installed, and in the PATH that the target is given?"
                           : "Does the file exist, and the interpreter that its first line names?";
      else if (refused.error == EACCES)
        error.remedy = "Is the file executable, and are its directories open to you?";
      break;
  }
  return error;
}

}  // namespace

class Supervisor::State {
 public:
  State(pid_t supervisor, Fd control, Fd pidfd, ReapLog log)
      : pid_(supervisor),
        control_(std::move(control)),
        pidfd_(std::move(pidfd)),
        log_(std::move(log)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  ~State() {
    // Closing is the word: the supervisor ends all and then itself.
    control_.reset();
    pollfd ended{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
    const bool hangs = pidfd_.valid() && ::poll(&ended, 1, kLongestEndMs) == 0;
    int status = 0;
    ::waitpid(pid_, &status, hangs ? WNOHANG : 0);
    if (WIFSIGNALED(status)) clean_up_after_a_lost_supervisor();
  }

  Result<void> greet() {
    const Fd self = open_pidfd(::getpid());
    std::vector<int> descriptors{log_.fd()};
    if (self.valid()) descriptors.push_back(self.get());
    // Only here: the program might not be one of ours and never answer.
    limit_waiting(kLongestGreeting);
    Reply ready;
    if (!send_packet(control_.get(), Request{.kind = RequestKind::hello}, descriptors) ||
        !receive_packet(control_.get(), ready) || ready.kind != ReplyKind::ready)
      return fail(ErrorCode::system, "the supervisor did not start");
    limit_waiting(0s);
    if (ready.text[0] != '\0') cgroup_ = Cgroup::open(ready.text.data());
    return {};
  }

  Result<SpawnedChild> spawn(const SpawnRequest& request) {
    const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const auto stream = [&](int fd) { return fd < 0 ? null.get() : fd; };
    WB_TRY(const Fd words, pack(request));
    const std::lock_guard lock(mutex_);
    const std::size_t position = log_.size();
    Reply reply;
    if (!send_packet(control_.get(), Request{.kind = RequestKind::spawn},
                     {words.get(), stream(request.stdin_fd), stream(request.stdout_fd),
                      stream(request.stderr_fd)}) ||
        !receive_packet(control_.get(), reply))
      return supervisor_gone();
    if (reply.kind != ReplyKind::spawned) return std::unexpected(launch_error(request, reply));
    spawned_at_[reply.pid] = position;
    return SpawnedChild{.pid = reply.pid,
                        .before_spawn = Instant(Duration(reply.before_spawn_ns)),
                        .exec_returned = Instant(Duration(reply.exec_returned_ns))};
  }

  void signal(pid_t child, int number) {
    const std::lock_guard lock(mutex_);
    send_packet(control_.get(),
                Request{.kind = RequestKind::signal, .pid = child, .signal = number});
  }

  std::vector<Survivor> end_all() {
    const std::lock_guard lock(mutex_);
    std::vector<Survivor> survivors;
    Reply reply;
    if (!send_packet(control_.get(), Request{.kind = RequestKind::end_all})) return survivors;
    while (receive_packet(control_.get(), reply) && reply.kind == ReplyKind::survivor)
      survivors.push_back({.pid = reply.pid, .command = reply.text.data()});
    return survivors;
  }

  std::optional<ExitedChild> exited(pid_t child) {
    const std::lock_guard lock(mutex_);
    // A number may have been used before: only what was reaped after the spawn is that child.
    const auto spawned = spawned_at_.find(child);
    const std::size_t first = spawned == spawned_at_.end() ? 0 : spawned->second;
    for (std::size_t i = log_.size(); i-- > first;)
      if (const ExitedChild record = log_.at(i); record.pid == child) return record;
    return std::nullopt;
  }

  bool has_spawned(pid_t child) {
    const std::lock_guard lock(mutex_);
    return spawned_at_.contains(child);
  }

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] const ReapLog& log() const { return log_; }
  [[nodiscard]] const std::optional<Cgroup>& cgroup() const { return cgroup_; }

 private:
  void limit_waiting(std::chrono::seconds longest) const {
    const timeval limit{.tv_sec = longest.count(), .tv_usec = 0};
    ::setsockopt(control_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }

  // Somebody killed it, and its children were adopted by whoever reaps this machine's orphans. Its
  // session tells them from strangers that were given their numbers.
  void clean_up_after_a_lost_supervisor() {
    for (const auto& [child, position] : spawned_at_)
      if (::getsid(child) == pid_) ::kill(-child, SIGKILL);
    if (!cgroup_) return;
    (void)cgroup_->kill();
    for (int tries = 0; tries < 100 && !cgroup_->remove(); ++tries)
      std::this_thread::sleep_for(10ms);
  }

  const pid_t pid_;
  Fd control_;
  Fd pidfd_;
  const ReapLog log_;
  std::optional<Cgroup> cgroup_;
  std::mutex mutex_;                         // of the conversation and of what follows
  std::map<pid_t, std::size_t> spawned_at_;  // size of the log when it was spawned
};

Result<std::unique_ptr<Supervisor>> Supervisor::start(const std::string& program) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return std::unexpected(system_error("cannot make a socket to the supervisor", errno));
  Fd ours(ends[0]);
  Fd theirs(ends[1]);
  WB_TRY(ReapLog log, ReapLog::create());
  WB_TRY(const pid_t pid, execute(program, theirs));
  theirs.reset();  // or its death would not end our waiting
  auto state = std::make_unique<State>(pid, std::move(ours), open_pidfd(pid), std::move(log));
  WB_CHECK(state->greet());
  return std::unique_ptr<Supervisor>(new Supervisor(std::move(state)));
}

Supervisor::Supervisor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Supervisor::~Supervisor() = default;

pid_t Supervisor::pid() const {
  return state_->pid();
}

Result<SpawnedChild> Supervisor::spawn(const SpawnRequest& request) {
  return state_->spawn(request);
}

std::vector<ExitedChild> Supervisor::exited() const {
  return exited_since(0);
}

std::optional<ExitedChild> Supervisor::exited(pid_t pid) const {
  return state_->exited(pid);
}

std::vector<ExitedChild> Supervisor::exited_since(std::size_t position) const {
  std::vector<ExitedChild> children;
  for (const std::size_t size = state_->log().size(); position < size; ++position)
    children.push_back(state_->log().at(position));
  return children;
}

bool Supervisor::has_spawned(pid_t pid) const {
  return state_->has_spawned(pid);
}

std::uint32_t Supervisor::reap_generation() const {
  return state_->log().generation();
}

std::optional<CgroupCpu> Supervisor::cgroup_cpu() const {
  return state_->cgroup() ? state_->cgroup()->cpu() : std::nullopt;
}

std::optional<ExitedChild> Supervisor::wait_for_exit(pid_t pid, Instant deadline) {
  for (;;) {
    const std::uint32_t generation = reap_generation();
    if (auto child = state_->exited(pid)) return child;
    if (now() >= deadline) return std::nullopt;
    state_->log().wait_for_change(generation, deadline);
  }
}

void Supervisor::signal(pid_t pid, int signal) {
  state_->signal(pid, signal);
}

std::vector<Survivor> Supervisor::end_all() {
  return state_->end_all();
}

}  // namespace weighbridge::os
