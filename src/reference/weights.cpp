#include "reference/weights.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/units.h"
#include "os/real_clock.h"

namespace weighbridge::reference {
namespace {

Duration thread_cpu() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + Duration(now.tv_nsec);
}

/// A region is only address space until it is written to.
constexpr std::size_t kRegionBytes = 1ULL << 30U;

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

HeldMemory::~HeldMemory() {
  for (const auto& region : regions_) ::munmap(region.begin, region.size);
}

Result<void> HeldMemory::reserve_more(std::size_t bytes) {
  const std::size_t size = std::max(bytes, kRegionBytes);
  void* const begin = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) return std::unexpected(system_error("cannot hold more memory", errno));
  ::madvise(begin, size, MADV_NOHUGEPAGE);  // or two megabytes would become resident at a time
  regions_.push_back({static_cast<std::byte*>(begin), size});
  used_ = 0;
  return {};
}

Result<void> HeldMemory::hold(std::size_t bytes) {
  if (regions_.empty() || regions_.back().size - used_ < bytes) WB_CHECK(reserve_more(bytes));
  std::byte* at = regions_.back().begin + used_;
  used_ += bytes;
  held_ += bytes;
  while (bytes > 0) {
    const std::uint64_t noise = random_.next();
    const auto count = std::min(bytes, sizeof noise);
    std::memcpy(at, &noise, count);
    at += count;
    bytes -= count;
  }
  return {};
}

}  // namespace weighbridge::reference
