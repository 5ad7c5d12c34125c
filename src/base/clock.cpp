#include "base/clock.h"

#include <cmath>

namespace weighbridge {

double to_seconds(Duration span) {
  return static_cast<double>(span.count()) / 1e9;
}

double to_milliseconds(Duration span) {
  return static_cast<double>(span.count()) / 1e6;
}

Duration from_seconds(double seconds) {
  return Duration(std::llround(seconds * 1e9));
}

}  // namespace weighbridge
