#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"

namespace weighbridge::reference {

/// Burns processor time on this thread's own clock, so that time in which the thread was not
/// running does not count. Returns what was really burnt, at least `amount`.
Duration burn_cpu(Duration amount);

/// Freezes of the whole process: it stands still for `length` at the start of every `period`, the
/// first period beginning with the first request.
struct FreezePlan {
  Duration length{};
  Duration period{};

  /// `1s/4s`. ErrorCode::usage unless 0 < length < period.
  static Result<FreezePlan> parse(std::string_view text);
  /// The freeze that is on at `now`, or else the next one, as its begin and end.
  struct Span {
    Instant begin;
    Instant end;
  };
  [[nodiscard]] Span at_or_after(Instant first_request, Instant now) const;
};

/// Sleeps until `end` and returns how long that took. Nothing else of the process runs meanwhile:
/// it has one thread.
Duration freeze_until(Instant end);

/// Memory held on purpose: packed side by side in reserved address space, so that what is resident
/// grows by exactly what is asked and not by whole pages each time; filled with noise, so that no
/// kernel merges or compresses it away.
class HeldMemory {
 public:
  HeldMemory() : random_(0x5eed) {}
  ~HeldMemory();
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

  /// ErrorCode::system when there is no more address space.
  Result<void> hold(std::size_t bytes);
  [[nodiscard]] std::uint64_t bytes() const { return held_; }

 private:
  Result<void> reserve_more(std::size_t bytes);

  struct Region {
    std::byte* begin = nullptr;
    std::size_t size = 0;
  };
  std::vector<Region> regions_;
  std::size_t used_ = 0;  // of the last region
  std::uint64_t held_ = 0;
  Random random_;
};

}  // namespace weighbridge::reference
