#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "protocol/outcome.h"
#include "stats/samples.h"

namespace weighbridge::load {

/// One completed (or abandoned) call.
struct CallRecord {
  Instant due{};
  Instant sent{};
  Instant done{};  ///< for a hung call the instant it was given up
  protocol::Outcome outcome = protocol::Outcome::failed;
  std::uint64_t message_bytes = 0;
  std::uint64_t wire_bytes = 0;
};

/// What calls of one outcome took. Never pooled with another outcome's.
struct OutcomeTally {
  std::uint64_t count = 0;
  std::vector<Duration> latencies;  ///< done - due, in order of completion
  std::string first_text;           ///< why, for the first that was not served
};

/// How replies travelled, for the record.
struct MediaTally {
  std::uint64_t stdio = 0;
  std::uint64_t json = 0;
  std::uint64_t sse = 0;
};

/// Everything a load worker hands over. Adds up: several workers, or hosts, each fill their own.
struct Outcome {
  std::array<OutcomeTally, protocol::kOutcomes.size()> by_outcome;
  stats::Samples service;                    ///< served calls, done - sent
  stats::Samples lateness;                   ///< all calls, sent - due
  std::vector<std::uint64_t> message_bytes;  ///< of served replies
  std::vector<std::uint64_t> wire_bytes;
  MediaTally media;
  Duration wall{};  ///< sum over rounds: from the barrier's release to the last completion

  [[nodiscard]] OutcomeTally& of(protocol::Outcome outcome) {
    return by_outcome[static_cast<std::size_t>(outcome)];
  }
  [[nodiscard]] const OutcomeTally& of(protocol::Outcome outcome) const {
    return by_outcome[static_cast<std::size_t>(outcome)];
  }
  /// served + refused + failed + hung.
  [[nodiscard]] std::uint64_t sent() const;
  /// Those to which a reply came, or a transport error: all but the hung.
  [[nodiscard]] std::uint64_t completed() const;

  void add(const CallRecord& call, std::string reason);
  void add(const Outcome& other);
};

}  // namespace weighbridge::load
