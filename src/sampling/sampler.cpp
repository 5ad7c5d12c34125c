#include "sampling/sampler.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "os/cpu_clock.h"
#include "os/process_list.h"
#include "os/real_clock.h"
#include "sampling/tree_reader.h"

namespace weighbridge::sampling {

class Sampler::State {
 public:
  State(const Roots& roots, Duration interval) : reader_(roots, ProcRoot{}) {
    trace_.interval = interval;
  }

  void start() {
    read_now();
    thread_ = std::thread([this] { sample(); });
  }

  ~State() { join(); }

  void add_root(pid_t pid) {
    const std::lock_guard lock(mutex_);
    reader_.add_root(pid);
  }

  TreeSample read_now() {
    const std::lock_guard lock(mutex_);
    return append(TreeReader::Effort::everything);
  }

  MemoryMoment read_moment() {
    const std::lock_guard lock(mutex_);
    return reader_.read_moment();
  }

  bool reset_high_water() {
    const std::lock_guard lock(mutex_);
    return reader_.reset_high_water();
  }

  std::pair<TreeSample, TreeSample> latest() {
    const std::lock_guard lock(mutex_);
    const std::vector<TreeSample>& samples = trace_.samples;
    if (samples.size() < 2) return {};
    return {samples[samples.size() - 2], samples.back()};
  }

  Trace trace() {
    const std::lock_guard lock(mutex_);
    Trace copy = trace_;
    reader_.describe(copy);
    return copy;
  }

  Trace stop() {
    if (join()) read_now();
    return trace();
  }

 private:
  bool join() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    if (!thread_.joinable()) return false;
    thread_.join();
    return true;
  }

  void sample() {
    std::unique_lock lock(mutex_);
    for (Instant next = os::now() + trace_.interval; !stopping_;) {
      if (wake_.wait_until(lock, next, [this] { return stopping_; })) return;
      append(TreeReader::Effort::what_is_due);
      trace_.sampler_cpu = os::thread_cpu_time();
      // On the grid, so that the ticks do not drift; those that a slow reading has overrun are
      // left out.
      const Instant now = os::now();
      next += ((now - next) / trace_.interval + 1) * trace_.interval;
    }
  }

  TreeSample append(TreeReader::Effort effort) {
    return trace_.samples.emplace_back(reader_.read(effort));
  }

  std::mutex mutex_;  // of all below
  TreeReader reader_;
  Trace trace_;
  bool stopping_ = false;
  std::condition_variable wake_;
  std::thread thread_;
};

Result<std::unique_ptr<Sampler>> Sampler::start(Roots roots, Duration interval) {
  if (interval < 1ms)
    return fail(ErrorCode::usage, "a sampling interval below 1 ms would weigh the sampler");
  if (roots.supervisor == nullptr)
    for (const pid_t pid : roots.pids)
      if (os::process_state(pid) == '\0')
        return fail(ErrorCode::target, "cannot read process " + std::to_string(pid), {},
                    "Is it running, and on this machine?");
  auto state = std::make_unique<State>(roots, interval);
  state->start();
  return std::unique_ptr<Sampler>(new Sampler(std::move(state)));
}

Sampler::Sampler(std::unique_ptr<State> state) : state_(std::move(state)) {}
Sampler::~Sampler() = default;

void Sampler::add_root(pid_t pid) {
  state_->add_root(pid);
}

TreeSample Sampler::read_now() {
  return state_->read_now();
}

MemoryMoment Sampler::read_moment() {
  return state_->read_moment();
}

bool Sampler::reset_high_water() {
  return state_->reset_high_water();
}

std::pair<TreeSample, TreeSample> Sampler::latest() const {
  return state_->latest();
}

Trace Sampler::trace() const {
  return state_->trace();
}

Trace Sampler::stop() {
  return state_->stop();
}

}  // namespace weighbridge::sampling
