#pragma once

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "reference/weights.h"

namespace weighbridge::reference {

/// Things of the kernel that are held, each idle.
struct Things {
  unsigned descriptors = 0;
  unsigned threads = 0;
  unsigned children = 0;
  [[nodiscard]] bool none() const { return descriptors == 0 && threads == 0 && children == 0; }
};

/// Memory that is held for a time.
struct TimedMemory {
  std::uint64_t bytes = 0;
  Duration time{};  ///< zero: for ever

  /// `4KiB` or `4KiB/1s`. ErrorCode::usage for anything else.
  static Result<TimedMemory> parse(std::string_view text);
};

constexpr Duration kPeakTime = 20ms;  ///< what a peak lasts unless it is told

/// What one tools/call costs.
struct CallWeights {
  Duration cpu{};
  std::optional<Duration> delay =
      {};  ///< absent: the next one of the server's own source, if it has one
  TimedMemory leak = {};
  TimedMemory peak = {};
  Things things = {};              ///< held until the answer
  std::uint64_t answer_bytes = 0;  ///< of text in the answer of `null`

  /// Those that the arguments of one call name take the place of `usual`: cpu, delay, leak, peak,
  /// bytes as text with a unit; fds, threads, children as numbers. ErrorCode::usage, in one clear
  /// sentence, for anything else.
  static Result<CallWeights> read(const simdjson::dom::object& arguments, const CallWeights& usual);
};

/// All that a server is told to cost. As it is made: nothing.
struct WeightPlan {
  CallWeights call;
  std::string delay;  ///< as DelaySource reads it; empty: none
  std::uint64_t seed = 1;
  Duration list_cpu{};
  Duration start_cpu{};
  Duration start_delay{};
  Duration build_delay{};  ///< until there is a catalogue; what needs it waits

  std::uint64_t process_bytes = 0;
  std::uint64_t credential_bytes = 0;
  std::uint64_t session_bytes = 0;
  std::uint64_t connection_bytes = 0;
  Things session_things;
  bool leak_abandoned = false;  ///< sessions that nobody ended keep what they hold

  std::optional<FreezePlan> freeze;
  std::size_t concurrency = 0;  ///< calls that are served at once; 0: all

  // How answers go out.
  bool id_last = false;
  std::uint64_t chunk_bytes = 0;  ///< 0: whole
  Duration first_byte{};
  Duration trickle{};  ///< between chunks

  [[nodiscard]] bool paced() const {
    return chunk_bytes > 0 || first_byte > Duration(0) || trickle > Duration(0);
  }
};

}  // namespace weighbridge::reference
