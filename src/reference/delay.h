#pragma once

#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"

namespace weighbridge::reference {

/// Delays drawn from a distribution, the same for the same seed on every machine.
class DelaySource {
 public:
  /// `10ms`; `uniform:5ms-15ms`; `exponential:20ms` (its mean); `bimodal:5ms,50ms,0.1` (the second
  /// with that probability); `list:1ms,2ms,3ms` or `@FILE` with one delay a line, taken in turn and
  /// then from the beginning. ErrorCode::usage for anything else.
  static Result<DelaySource> parse(std::string_view text, std::uint64_t seed);

  Duration next();

 private:
  enum class Kind { listed, uniform, exponential, bimodal };

  explicit DelaySource(std::uint64_t seed) : random_(seed) {}
  Result<void> read(std::string_view kind, std::string_view arguments);

  Kind kind_ = Kind::listed;
  std::vector<Duration> values_;  // uniform: both ends; exponential: mean; bimodal: both modes
  double share_ = 0;              // bimodal: of the second mode
  std::size_t turn_ = 0;          // listed
  Random random_;
};

}  // namespace weighbridge::reference
