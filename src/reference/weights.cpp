#include "reference/weights.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cerrno>

#include "base/units.h"
#include "os/real_clock.h"

namespace weighbridge::reference {
namespace {

Duration thread_cpu() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + Duration(now.tv_nsec);
}

}  // namespace

Duration burn_cpu(Duration amount) {
  const Duration begin = thread_cpu();
  // Reading this clock is a system call of some 200 ns: the overshoot, and counted.
  Duration burnt{};
  while (burnt < amount) burnt = thread_cpu() - begin;
  return burnt;
}

Result<FreezePlan> FreezePlan::parse(std::string_view text) {
  const auto slash = text.find('/');
  if (slash != std::string_view::npos) {
    const auto length = parse_duration(text.substr(0, slash));
    const auto period = parse_duration(text.substr(slash + 1));
    if (length && period && *length > Duration(0) && *length < *period)
      return FreezePlan{.length = *length, .period = *period};
  }
  return fail(ErrorCode::usage, fmt::format("\"{}\" is no freeze", text), {},
              "Give how long and how often, the first being shorter: 1s/4s");
}

FreezePlan::Span FreezePlan::at_or_after(Instant first_request, Instant now) const {
  const auto periods = std::max<long long>((now - first_request) / period, 0);
  const Instant begin = first_request + periods * period;
  if (now < begin + length) return {begin, begin + length};
  return {begin + period, begin + period + length};
}

Duration freeze_until(Instant end) {
  const Instant begin = os::now();
  const auto since_boot = end.time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
  const timespec until{.tv_sec = seconds.count(),
                       .tv_nsec = static_cast<long>((since_boot - seconds).count())};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
  return std::max(os::now() - begin, Duration(0));
}

}  // namespace weighbridge::reference
