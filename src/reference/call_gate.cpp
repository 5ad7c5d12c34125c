#include "reference/call_gate.h"

#include <algorithm>
#include <utility>

#include "os/real_clock.h"

namespace weighbridge::reference {

CallGate::~CallGate() {
  poller_.cancel(timer_);
}

CallGate::Place CallGate::enter() {
  if (most_ == 0) return nullptr;
  ++inside_;
  return {this, [](CallGate* gate) { gate->go(); }};
}

CallGate::Waiter CallGate::wait(std::function<void(Place)> begin) {
  const Waiter waiter = next_++;
  waiting_.emplace(waiter, Waiting{.since = os::now(), .begin = std::move(begin)});
  stats_.most_queued = std::max<std::uint64_t>(stats_.most_queued, waiting_.size());
  return waiter;
}

/// From the loop: the one who goes is still being answered.
void CallGate::go() {
  --inside_;
  if (waiting_.empty() || timer_ != 0) return;
  timer_ = poller_.at(os::now(), [this] {
    timer_ = 0;
    let_next_in();
  });
}

void CallGate::let_next_in() {
  while (inside_ < most_ && !waiting_.empty()) {
    auto next = waiting_.extract(waiting_.begin());
    stats_.queued.add(os::now() - next.mapped().since);
    next.mapped().begin(enter());
  }
}

}  // namespace weighbridge::reference
