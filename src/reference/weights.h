#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/error.h"

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

}  // namespace weighbridge::reference
