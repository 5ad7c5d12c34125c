#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/clock.h"
#include "reference/limit_stats.h"
#include "reference/weight_stats.h"

namespace weighbridge::reference {

/// How a request ended, as this server sees it.
enum class Ending : std::uint8_t {
  ok,         ///< a result
  is_error,   ///< a result of a tool that says isError
  error,      ///< a JSON-RPC error
  refused,    ///< turned away by the transport's rules or by a limit
  abandoned,  ///< cancelled, or the caller went before the answer
};
constexpr std::size_t kEndings = 5;
std::string_view to_string(Ending ending);

/// What this server has really done, for --stats: its own truth, which a driver's figures are
/// checked against. Plain counters; one thread.
class Stats {
 public:
  explicit Stats(Instant started) : started_(started) {}

  void request_began();
  void request_ended(std::string_view method, Ending ending);
  void refused() { ++by_method_[kTransport][static_cast<std::size_t>(Ending::refused)]; }

  /// True when it is a credential not seen before.
  bool see_credential(std::uint64_t digest) { return credentials_.insert(digest).second; }

  std::uint64_t notifications = 0;
  std::uint64_t responses = 0;  ///< messages that answer nothing of ours

  std::uint64_t sessions_opened = 0;
  std::uint64_t sessions_closed = 0;   ///< by DELETE
  std::uint64_t sessions_expired = 0;  ///< unused for too long

  std::uint64_t upstream_calls = 0;
  std::uint64_t upstream_failures = 0;  ///< no whole answer came, timeouts included
  std::uint64_t upstream_timeouts = 0;
  std::uint64_t upstream_errors = 0;  ///< answers with status 400 or above

  std::uint64_t bytes_received = 0;  ///< of messages, without HTTP heads
  std::uint64_t bytes_sent = 0;      ///< of messages, without HTTP heads

  WeightStats weights;
  LimitStats limits;
  std::uint64_t catalogue_builds = 0;

  std::uint64_t spans_exported = 0;
  std::uint64_t spans_dropped = 0;
  std::uint64_t exports_failed = 0;

  [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }
  [[nodiscard]] std::uint64_t total_requests() const { return began_; }
  [[nodiscard]] Instant started() const { return started_; }

  /// What only others know.
  struct Surroundings {
    std::string_view surface;
    std::string_view transport;
    Instant now;
    std::uint64_t connections_accepted = 0;
    std::uint64_t connections_open = 0;
    std::uint64_t upstream_connections_opened = 0;
  };
  [[nodiscard]] std::string render(const Surroundings& surroundings) const;

 private:
  // Foreign method names are pooled, or a caller could grow the table without end.
  static constexpr std::size_t kTransport = 0;
  static constexpr std::size_t kOther = 1;
  static constexpr std::size_t kRows = 10;
  static const std::array<std::string_view, kRows> kMethods;

  Instant started_;
  std::uint64_t began_ = 0;
  std::uint64_t in_flight_ = 0;
  std::uint64_t peak_in_flight_ = 0;
  std::array<std::array<std::uint64_t, kEndings>, kRows> by_method_{};
  std::unordered_set<std::uint64_t> credentials_;
};

}  // namespace weighbridge::reference
