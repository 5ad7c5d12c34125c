#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weighbridge::record {

/// What `weighbridge calibrate` last said of one host and build, in the few numbers that a report
/// quotes. Each is the worst among the weights of its kind that were judged: how far from the truth
/// the far end of the error's interval was. Absent where no weight of the kind could be judged.
struct Accuracy {
  std::string calibrated_at;  ///< RFC 3339, UTC
  bool quick = false;         ///< few repetitions: an indication
  std::optional<double> memory_percent;
  std::optional<double> cpu_percent;
  std::optional<double> p99_us;
  std::uint64_t weights = 0;         ///< put on the scale
  std::uint64_t weights_within = 0;  ///< of them within their bound
};

}  // namespace weighbridge::record
