#include "reference/limit_stats.h"

#include <fmt/format.h>

namespace weighbridge::reference {

std::string LimitStats::render() const {
  return fmt::format(
      R"({{"pool":{{"capacity":{},"entries":{},"built":{},"evicted":{},"expired":{}}},)"
      R"("held_calls":{{"ceiling":{},"most":{}}},"session_ceiling":{},"rate_limited":{},)"
      R"("busy":{},"unauthorized":{},"probes":{{"sent":{},"most_at_once":{}}}}})",
      pool_capacity, pool_entries, pool_built, pool_evicted, pool_expired, held_ceiling, most_held,
      session_ceiling, rate_limited, busy, unauthorized, probes, most_probes);
}

}  // namespace weighbridge::reference
