#include "reference/ceiling.h"

#include <sys/resource.h>

#include <algorithm>

namespace weighbridge::reference {
namespace {
constexpr std::uint64_t kUnknownLimit = 1024;
constexpr std::uint64_t kReserve = 512;
}  // namespace

std::size_t held_call_ceiling(std::uint64_t descriptors) {
  const auto usable = descriptors - descriptors / 8;
  return std::max<std::size_t>(usable > kReserve ? (usable - kReserve) / 2 : 0, 1);
}

std::size_t session_ceiling(std::size_t held_calls) {
  return std::max<std::size_t>(held_calls / 2, 1);
}

std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kUnknownLimit;
  if (limit.rlim_cur < limit.rlim_max) {
    const rlimit raised{.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) != 0) return limit.rlim_cur;
  }
  return limit.rlim_max;
}

}  // namespace weighbridge::reference
