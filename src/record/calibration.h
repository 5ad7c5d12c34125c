#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/accuracy.h"
#include "record/record.h"
#include "stats/interval.h"

namespace weighbridge::record {

/// Whether a weight was told as it is.
enum class WeightVerdict {
  within,         ///< the error is within the bound
  outside,        ///< it is not
  too_few_quiet,  ///< not judged: the host was too busy with other things
};
std::string_view to_string(WeightVerdict verdict);
/// False, and `verdict` untouched, for a text that to_string does not give.
bool from_string(std::string_view text, WeightVerdict& verdict);

/// One time that a weight was put on the scale. In the unit of its weight.
struct Weighing {
  double truth = 0;          ///< what the reference server really did
  double null_measured = 0;  ///< the same figure of a server without the weight, just before
  double measured = 0;       ///< what the weighted server showed, the null subtracted
  bool quiet = false;        ///< method.md, "Quiet host"
  double lost_share = 0;     ///< the worst of the weather probes around it, 0 to 1
  double worst_gap_ms = 0;
};

/// One figure of one known weight.
struct KnownWeight {
  std::string id;          ///< "memory-50k"
  std::string what;        ///< "50 KiB held per credential, slope over 1…500"
  std::string kind;        ///< "memory", "cpu", "latency", "start", "growth", "things" or "freeze"
  std::string unit;        ///< "KiB", "ms", …
  std::string truth_from;  ///< "stats" (what the server says it did) or "flag" (what it was told)
  bool told = false;       ///< a count of verdicts: sums over the weighings instead of medians
  double truth = 0;        ///< median of the counted weighings
  double null_measured = 0;
  double measured = 0;
  stats::Estimate error;  ///< measured - truth: median of the counted weighings
  std::optional<double> error_percent;
  /// The wider of the two decides.
  std::optional<double> bound;
  std::optional<double> bound_percent;
  WeightVerdict verdict = WeightVerdict::too_few_quiet;
  std::uint64_t counted = 0;  ///< quiet weighings; all of them where the host was too busy to judge
  std::uint64_t not_quiet = 0;
  std::vector<Weighing> weighings;
};

/// How far off the figures are on one host, by one build: what `weighbridge calibrate` writes.
struct Calibration {
  int schema = 1;
  std::string mode = "calibrate";
  std::string generated_at;  ///< RFC 3339, UTC
  Status status = Status::complete;
  std::string broke_off_because;  ///< empty when complete
  Build build;
  Host host;
  bool quick = false;
  std::string only;               ///< glob of weights; empty: all
  std::string server;             ///< the reference server's name and version
  std::uint64_t least_quiet = 0;  ///< quiet weighings that a verdict needs
  std::vector<KnownWeight> weights;
  Accuracy accuracy;
  std::vector<Doubt> doubts;
};

/// Whether a calibration speaks of the same machine: what is the same at every run. Clock rate and
/// load come and go; disk and file system are the working directory's.
bool same_machine(const Host& left, const Host& right);
bool same_build(const Build& left, const Build& right);

/// Whether every weight was judged and found within its bound.
bool all_within(const Calibration& calibration);

}  // namespace weighbridge::record
