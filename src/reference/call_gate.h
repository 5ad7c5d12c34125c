#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "os/poller.h"
#include "reference/weight_stats.h"

namespace weighbridge::reference {

/// Lets so many calls in at once; the others wait in the order in which they came.
class CallGate {
 public:
  /// `most` 0: lets everybody in.
  CallGate(os::Poller& poller, std::size_t most, WeightStats& stats)
      : poller_(poller), most_(most), stats_(stats) {}
  ~CallGate();
  CallGate(const CallGate&) = delete;
  CallGate& operator=(const CallGate&) = delete;

  /// One call's place; letting go of it lets the next one in. Must not outlive the gate.
  using Place = std::shared_ptr<void>;
  using Waiter = std::uint64_t;

  [[nodiscard]] bool is_open() const { return most_ == 0 || (inside_ < most_ && waiting_.empty()); }
  /// Nobody more may wait: a queue without end would take all memory.
  [[nodiscard]] bool is_full() const { return waiting_.size() >= kMostWaiting; }
  /// Only while the gate is open; empty when it lets everybody in.
  Place enter();
  /// `begin` is called later, from the poller, unless the waiter leaves before.
  Waiter wait(std::function<void(Place)> begin);
  void leave(Waiter waiter) { waiting_.erase(waiter); }

 private:
  static constexpr std::size_t kMostWaiting = 16 * 1024;
  struct Waiting {
    Instant since;
    std::function<void(Place)> begin;
  };
  void go();
  void let_next_in();

  os::Poller& poller_;
  std::size_t most_;
  WeightStats& stats_;
  std::size_t inside_ = 0;
  std::map<Waiter, Waiting> waiting_;
  Waiter next_ = 1;
  os::Poller::TimerId timer_ = 0;
};

}  // namespace weighbridge::reference
