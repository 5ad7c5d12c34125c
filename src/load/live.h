#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "protocol/outcome.h"

namespace weighbridge::load {

/// How a phase is going, for whoever looks at it meanwhile: written by one worker, read by anybody,
/// without a lock. Latencies to about 2 %; the outcome has them exactly.
class Live {
 public:
  void count(protocol::Outcome outcome, Duration latency) {
    add_one(outcomes_[static_cast<std::size_t>(outcome)]);
    if (outcome == protocol::Outcome::served) add_one(buckets_[bucket_of(latency)]);
  }
  void set_in_flight(std::uint32_t calls) { in_flight_.store(calls, std::memory_order_relaxed); }

  /// Sums over several workers.
  struct Reading {
    std::array<std::uint64_t, protocol::kOutcomes.size()> outcomes{};
    std::uint64_t in_flight = 0;
    std::vector<std::uint32_t> buckets = std::vector<std::uint32_t>(kBuckets);

    /// Nearest rank among the calls served since `before`; nullopt when there were none.
    [[nodiscard]] std::optional<Duration> percentile(double q, const Reading& before) const;
    [[nodiscard]] std::uint64_t of(protocol::Outcome outcome) const {
      return outcomes[static_cast<std::size_t>(outcome)];
    }
  };
  void add_to(Reading& reading) const;

 private:
  // Log-linear: 32 buckets to every doubling, of nanoseconds up to 18 minutes.
  static constexpr int kPerDoubling = 32;
  static constexpr int kPerDoublingBits = 5;
  static constexpr std::size_t kBuckets = 36 * kPerDoubling;

  static std::size_t bucket_of(Duration latency);
  static Duration middle_of(std::size_t bucket);
  template <typename Number>
  static void add_one(std::atomic<Number>& counter) {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  std::array<std::atomic<std::uint64_t>, protocol::kOutcomes.size()> outcomes_{};
  std::atomic<std::uint32_t> in_flight_{0};
  std::array<std::atomic<std::uint32_t>, kBuckets> buckets_{};
};

}  // namespace weighbridge::load
