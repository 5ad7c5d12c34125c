#pragma once

#include "record/record.h"
#include "report/table.h"

namespace weighbridge::report {

// One function per table; a table without rows has nothing to say and is not drawn.

/// Memory (MiB) at its moments, threads, descriptors and processor time; a row per scenario.
Table memory_table(const record::Record& record);
/// Start and first answers (ms) and the size of the listing; a row per scenario.
Table waits_table(const record::Record& record);
/// Latencies (ms) of served calls with the counts of the others; a row per scenario and method.
Table latency_table(const record::Record& record);

}  // namespace weighbridge::report
