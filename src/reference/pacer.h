#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "os/poller.h"
#include "reference/weight_plan.h"
#include "reference/weight_stats.h"
#include "transport/http_server.h"

namespace weighbridge::reference {

/// Sends answers late, in chunks and slowly, as a WeightPlan tells.
class Pacer {
 public:
  Pacer(os::Poller& poller, const WeightPlan& plan, WeightStats& stats)
      : poller_(poller), plan_(plan), stats_(stats) {}
  ~Pacer();
  Pacer(const Pacer&) = delete;
  Pacer& operator=(const Pacer&) = delete;

  /// Where an answer goes; each part comes at its own time.
  struct Way {
    std::function<void()> begin;
    std::function<void(transport::Body)> write;
    std::function<void()> end;
  };
  [[nodiscard]] bool paces() const { return plan_.paced(); }
  void send(const transport::Body& body, Way way);

 private:
  struct Job {
    std::string text;
    std::size_t sent = 0;
    Way way;
    Instant waiting_since;
  };
  void wait(std::uint64_t number, Duration time, void (Pacer::*then)(std::uint64_t));
  void begin(std::uint64_t number);
  void go_on(std::uint64_t number);
  void write_chunks(std::uint64_t number);

  os::Poller& poller_;
  const WeightPlan& plan_;
  WeightStats& stats_;
  std::unordered_map<std::uint64_t, Job> jobs_;
  std::unordered_map<std::uint64_t, os::Poller::TimerId> timers_;
  std::uint64_t next_ = 1;
};

/// `{"jsonrpc":"2.0","id":7,…}` with its id as the last member instead. Answers without an id at
/// that place stay as they are.
transport::Body with_id_last(const transport::Body& message);

}  // namespace weighbridge::reference
