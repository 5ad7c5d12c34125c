#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "os/fd.h"
#include "os/supervisor.h"
#include "sampling/sampler.h"

namespace weighbridge::sampling {

inline constexpr Duration kOnlyWhenAsked = 1h;
inline constexpr std::uint64_t kMib = 1 << 20;

/// A process of work.cpp, step by step: it says when it has come to a `say`, and goes on from a
/// `hear` when told to.
class Worker {
 public:
  Worker(os::Supervisor& supervisor, std::vector<std::string> words) {
    auto to_child = pipe();
    auto from_child = pipe();
    tell_ = std::move(to_child.second);
    hear_ = std::move(from_child.first);
    words.insert(words.begin(), WORK_PROGRAM);
    const auto child = supervisor.spawn({.argv = std::move(words),
                                         .environment = {"PATH=/usr/bin:/bin"},
                                         .stdin_fd = to_child.first.get(),
                                         .stdout_fd = from_child.second.get()});
    if (child) pid_ = child->pid;
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  void wait_until_it_says() const {
    char byte = 0;
    ASSERT_EQ(::read(hear_.get(), &byte, 1), 1);
  }
  void go_on() const { ASSERT_EQ(::write(tell_.get(), "\n", 1), 1); }

 private:
  static std::pair<os::Fd, os::Fd> pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    return {os::Fd(ends[0]), os::Fd(ends[1])};
  }
  os::Fd tell_;
  os::Fd hear_;
  pid_t pid_ = 0;
};

class SamplerTest : public testing::Test {
 protected:
  std::unique_ptr<Sampler> sample(Duration interval = kOnlyWhenAsked) {
    return Sampler::start({.supervisor = supervisor.get(), .pids = {}}, interval).value();
  }
  static std::unique_ptr<Sampler> attach(const Worker& worker) {
    return Sampler::start({.supervisor = nullptr, .pids = {worker.pid()}}, kOnlyWhenAsked).value();
  }
  Duration reaped() const {
    const auto all = supervisor->exited();
    return std::accumulate(
        all.begin(), all.end(), Duration{},
        [](Duration sum, const os::ExitedChild& each) { return sum + each.user + each.system; });
  }
  std::unique_ptr<os::Supervisor> supervisor = os::Supervisor::start("/proc/self/exe").value();
};

}  // namespace weighbridge::sampling
