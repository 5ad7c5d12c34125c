#pragma once

#include <cstdint>

namespace weighbridge {

/// xoshiro256** seeded by splitmix64 (Blackman and Vigna, 2018). Ours rather than <random>'s
/// because the standard leaves the distributions' algorithms open, and a seed in a record must give
/// the same run on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed);

  std::uint64_t next();
  /// Uniform in [0, 1).
  double uniform();
  /// Uniform in [0, bound); bound > 0.
  std::uint64_t below(std::uint64_t bound);
  /// Exponential with the given mean (> 0).
  double exponential(double mean);

 private:
  std::uint64_t state_[4];
};

}  // namespace weighbridge
