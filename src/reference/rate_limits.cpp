#include "reference/rate_limits.h"

namespace weighbridge::reference {

CallerBuckets::CallerBuckets(const RateLimit& limit)
    : calls_(limit.rps, limit.burst), listings_(limit.rps / 10, limit.burst) {}

bool CallerBuckets::admit(std::string_view method, Instant now) {
  if (method == "tools/call" || method == "resources/read") return calls_.take(1, now);
  if (method == "tools/list") return listings_.take(1, now);
  return true;
}

}  // namespace weighbridge::reference
