#include <algorithm>

#include "sampling/sampler.h"

namespace weighbridge::sampling {

Settled settle(const std::function<std::uint64_t()>& read,
               const std::function<void(Duration)>& wait, const Clock& clock, Duration pause,
               Duration ceiling) {
  constexpr std::uint64_t kOnePercent = 100;
  const Instant start = clock.now();
  Settled settled{.resident_bytes = read(), .readings = 1};
  while (clock.now() + pause - start <= ceiling) {
    wait(pause);
    const std::uint64_t before = settled.resident_bytes;
    settled.resident_bytes = read();
    ++settled.readings;
    const auto [low, high] = std::minmax(before, settled.resident_bytes);
    if ((high - low) * kOnePercent <= high) {
      settled.settled = true;
      break;
    }
  }
  return settled;
}

}  // namespace weighbridge::sampling
