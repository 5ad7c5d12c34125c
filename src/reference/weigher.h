#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "os/poller.h"
#include "reference/delay.h"
#include "reference/held_memory.h"
#include "reference/weight_plan.h"
#include "reference/weight_stats.h"

namespace weighbridge::reference {

/// Carries out what a WeightPlan tells this server to cost, and writes down what that really was.
class Weigher {
 public:
  Weigher(os::Poller& poller, const WeightPlan& plan, WeightStats& stats, Instant started);
  ~Weigher();
  Weigher(const Weigher&) = delete;
  Weigher& operator=(const Weigher&) = delete;

  [[nodiscard]] const WeightPlan& plan() const { return plan_; }
  [[nodiscard]] WeightStats& stats() { return stats_; }

  /// What it costs to start; before anything listens.
  void start();
  /// Any request, before it is looked at.
  void weigh_request(bool credential_is_new);
  void weigh_listing();

  /// What is held for somebody; letting go of it gives it back. Must not outlive this.
  using Burden = std::shared_ptr<void>;
  /// What a call costs before it is carried out. The burden is held until its answer.
  Burden weigh_call(const CallWeights& weights);
  /// How long the answer to a call is held back.
  std::optional<Duration> delay_of(const CallWeights& weights);
  Burden burden_of_session();
  Burden burden_of_connection();
  /// A session that nobody ended: what it holds is kept for ever if that is the weight.
  void session_abandoned(Burden burden);

  /// So many bytes of text, shared.
  std::shared_ptr<const std::string> text_of(std::uint64_t bytes);

 private:
  void hold(HeldMemory& memory, Holder holder, std::uint64_t bytes);
  void hold_for(Holder holder, TimedMemory memory);
  Burden burden_of(Holder holder, std::uint64_t bytes, const Things& things);
  void freeze();

  os::Poller& poller_;
  const WeightPlan& plan_;
  WeightStats& stats_;
  Instant started_;

  std::optional<DelaySource> delays_;
  HeldMemory of_process_;
  HeldMemory of_credentials_;
  HeldMemory leaked_;
  std::unordered_map<std::uint64_t, os::Poller::TimerId> timed_;  // what is to be given back
  std::uint64_t next_timed_ = 1;
  std::vector<Burden> abandoned_;
  std::optional<Instant> first_request_;
  os::Poller::TimerId freeze_timer_ = 0;
  std::shared_ptr<const std::string> text_;
};

}  // namespace weighbridge::reference
