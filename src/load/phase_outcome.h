#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "load/outcome.h"
#include "protocol/outcome.h"
#include "stats/samples.h"

namespace weighbridge::load {

/// One call in sixteen bytes, exact to the nanosecond up to 18 minutes (longer spans stay there).
class Sample {
 public:
  struct Parts {
    Duration latency{};      ///< done - due
    Duration service{};      ///< done - sent
    Duration first_event{};  ///< first event (SSE) or first byte, from the send; zero: none came
    protocol::Outcome outcome = protocol::Outcome::failed;
    std::uint8_t operation = 0;
    /// Not sent when due because no slot was free or its connection had to be opened first: the
    /// gap between latency and service is then not the driver's.
    bool waited = false;
  };

  Sample() = default;
  explicit Sample(const Parts& parts);
  [[nodiscard]] Parts parts() const;

 private:
  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
};
static_assert(sizeof(Sample) == 16);

/// Samples in blocks that are never moved: a vector that grows would copy megabytes in the middle
/// of the load, and hold twice the room while it does.
class SampleList {
 public:
  void add(const Sample& sample);
  /// Takes the blocks of `other`, which is left empty.
  void add(SampleList&& other);
  [[nodiscard]] std::size_t size() const { return size_; }
  void for_each(const std::function<void(const Sample::Parts&)>& visit) const;

 private:
  static constexpr std::size_t kBlock = 4096;
  struct Block {
    std::array<Sample, kBlock> samples;
    std::size_t used = 0;
  };
  std::vector<std::unique_ptr<Block>> blocks_;
  std::size_t size_ = 0;
};

/// A kind of trouble: the outcome, the first text that told of it, and how often it came. Texts
/// that differ only in their digits are of one kind.
struct Trouble {
  protocol::Outcome outcome = protocol::Outcome::failed;
  std::uint8_t operation = 0;
  std::string first_text;
  std::uint64_t count = 0;
};

/// What one operation came to, in sums; latencies are among the samples.
struct OperationTally {
  std::array<std::uint64_t, protocol::kOutcomes.size()> count{};
  std::uint64_t message_bytes = 0;  ///< of served replies
  std::uint64_t wire_bytes = 0;     ///< of served replies, with SSE framing, without HTTP heads
  std::uint64_t checked_whole = 0;  ///< replies that were parsed whole
  MediaTally media;

  [[nodiscard]] std::uint64_t of(protocol::Outcome outcome) const {
    return count[static_cast<std::size_t>(outcome)];
  }
};

/// What a worker thread itself cost and how well it kept its word.
struct WorkerAudit {
  Duration cpu{};        ///< of the thread, the phase through
  Duration spun{};       ///< of it, spent asking for a due instant to come
  Duration waited{};     ///< ready to run while something else had the core
  double in_flight = 0;  ///< calls in flight, added up over nanoseconds, by the loop's own clock
  Duration real{};
};

/// Everything one phase of load came to. Adds up: threads, processes or hosts each fill their own.
struct PhaseOutcome {
  Instant begin{};
  Instant last_done{};  ///< begin when nothing was sent
  std::vector<OperationTally> operations;
  SampleList samples;
  std::vector<Trouble> troubles;  ///< at most kMostTroubles; what comes beyond is only counted
  std::uint64_t other_troubles = 0;

  std::uint64_t missed = 0;   ///< open loop: due, but not sent before the deadline
  std::uint64_t overran = 0;  ///< completed after the window
  std::uint64_t served_in_window = 0;
  std::uint64_t resets_retried = 0;
  std::uint64_t connections_opened = 0;
  std::uint64_t notifications = 0;
  std::uint64_t server_requests = 0;  ///< requests of the server to us
  std::uint64_t stray_messages = 0;
  std::uint64_t slots_lost = 0;  ///< slots whose process has closed its output
  std::uint64_t bytes_read = 0;
  /// Calls per tenth of a second from the phase's begin, by the instant of the send and of done.
  std::vector<std::uint32_t> sent_per_tick;
  std::vector<std::uint32_t> served_per_tick;
  std::vector<WorkerAudit> workers;

  static constexpr Duration kTick = 100ms;
  static constexpr std::size_t kMostTroubles = 32;

  [[nodiscard]] std::uint64_t of(protocol::Outcome outcome) const;
  /// served + refused + failed + hung.
  [[nodiscard]] std::uint64_t sent() const;
  /// Those to which a reply came, or a transport error: all but the hung.
  [[nodiscard]] std::uint64_t completed() const;
  /// From the begin to the last completion.
  [[nodiscard]] Duration real() const { return last_done - begin; }

  void add_trouble(protocol::Outcome outcome, std::uint8_t operation, std::string text,
                   std::uint64_t count = 1);
  void add(PhaseOutcome&& other);
};

/// Latencies of the samples that `chosen` accepts, of the span that `span` takes from them.
stats::Samples collect(const SampleList& samples,
                       const std::function<bool(const Sample::Parts&)>& chosen,
                       const std::function<Duration(const Sample::Parts&)>& span);

}  // namespace weighbridge::load
