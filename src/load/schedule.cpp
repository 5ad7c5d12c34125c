#include "load/schedule.h"

#include <algorithm>
#include <cmath>

namespace weighbridge::load {
namespace {

double area_of(const RateSegment& segment, double factor) {
  return (segment.from + segment.to) / 2 * factor * to_seconds(segment.length);
}

/// Seconds into the segment at which the area under its rate reaches `area`: the root of
/// slope/2 t² + from t = area, in the form that does not cancel for small slopes.
double time_at(const RateSegment& segment, double factor, double area) {
  const double from = segment.from * factor;
  const double slope = (segment.to - segment.from) * factor / to_seconds(segment.length);
  if (slope == 0) return area / from;
  const double root = std::sqrt(std::max(from * from + 2 * slope * area, 0.0));
  return from + root > 0 ? 2 * area / (from + root) : 0;
}

}  // namespace

Duration Pace::length() const {
  Duration total{};
  for (const RateSegment& segment : segments) total += segment.length;
  return total;
}

double Pace::expected_calls() const {
  double total = 0;
  for (const RateSegment& segment : segments) total += area_of(segment, 1);
  return total;
}

Schedule::Schedule(const Pace& pace, double factor, std::uint64_t seed)
    : pace_(pace), factor_(factor), random_(seed) {}

std::optional<Duration> Schedule::next() {
  if (pace_.poisson) area_ += random_.exponential(1);
  const double wanted = pace_.poisson ? area_ : static_cast<double>(count_);
  ++count_;
  while (segment_ < pace_.segments.size()) {
    const RateSegment& segment = pace_.segments[segment_];
    const double area = area_of(segment, factor_);
    const double inside = wanted - area_before_;
    if (inside < area) {
      const double seconds = time_at(segment, factor_, inside);
      // Whole nanoseconds from the position itself, not from step to step: no drift, and a call of
      // the last nanosecond does not leave its segment.
      return time_before_ + std::min(Duration(std::llround(seconds * 1e9)), segment.length - 1ns);
    }
    area_before_ += area;
    time_before_ += segment.length;
    ++segment_;
  }
  return std::nullopt;
}

}  // namespace weighbridge::load
