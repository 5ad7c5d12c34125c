#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace weighbridge::reference {

/// For whom memory is held.
enum class Holder : std::uint8_t { process, credential, session, connection, leak, peak };
constexpr std::size_t kHolders = 6;
std::string_view to_string(Holder holder);

/// One freeze as it really was.
struct Freeze {
  Duration after_start{};  ///< when it began, from the server's start
  Duration length{};
};

/// Something done again and again, and the time that it really took.
struct Effort {
  std::uint64_t count = 0;
  Duration made{};
  void add(Duration one) {
    ++count;
    made += one;
  }
};

/// Things of one kind.
struct Holding {
  std::uint64_t taken = 0;  ///< since the start
  std::uint64_t held = 0;   ///< now
  std::uint64_t most = 0;   ///< at once
  void take(std::uint64_t count);
  void give_back(std::uint64_t count) { held -= count; }
};

/// What the known weights have really done: the truth that a driver's figures are checked against.
class WeightStats {
 public:
  Effort call_cpu;
  Effort list_cpu;
  Duration start_cpu{};
  Duration start_delay{};

  std::vector<Freeze> freezes;

  Holding descriptors;
  Holding threads;
  Holding children;
  std::uint64_t failures = 0;  ///< things and memory that the kernel did not give

  Effort queued;  ///< calls that waited for others because of a limit, and for how long
  std::uint64_t most_queued = 0;

  Effort first_bytes;
  Effort trickles;  ///< pauses between chunks
  std::uint64_t chunks = 0;

  /// `keep`: list it, and count it into the percentiles. Eight bytes a call, so not by itself: a
  /// server that is watched for leaks must not grow by its own book-keeping.
  void delay_made(Duration asked, Duration made, bool keep);

  void hold(Holder holder, std::uint64_t bytes);
  void release(Holder holder, std::uint64_t bytes);
  [[nodiscard]] std::uint64_t held_bytes() const { return held_bytes_; }

  /// A JSON object.
  [[nodiscard]] std::string render() const;

 private:
  struct Memory {
    std::uint64_t taken = 0;  ///< how often
    std::uint64_t bytes = 0;  ///< held now
  };
  [[nodiscard]] std::string render_delays() const;
  [[nodiscard]] std::string render_memory() const;
  [[nodiscard]] std::string render_freezes() const;

  std::array<Memory, kHolders> memory_{};
  std::uint64_t held_bytes_ = 0;
  std::uint64_t most_held_bytes_ = 0;

  Effort delays_;
  Duration delays_asked_{};
  std::vector<Duration> every_delay_;
};

}  // namespace weighbridge::reference
