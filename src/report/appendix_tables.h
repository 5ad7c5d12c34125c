#pragma once

#include "record/record.h"
#include "report/table.h"

namespace weighbridge::report {

/// The servers as their callers meet them; a row per transport and variant.
Table servers_table(const record::Record& record);
/// The first complete repeat's processes with all clients attached, equal ones in one row,
/// launchers last.
Table processes_table(const record::Record& record);
/// Processor time in seconds by phase, user and system; a row per scenario, medians of the repeats.
Table cpu_table(const record::Record& record);
/// Sockets, faults, I/O, switches, children; a row per scenario, medians of the repeats.
Table resources_table(const record::Record& record);
/// What measuring took: the worst repeat of each scenario.
Table driver_table(const record::Record& record);
/// What the stand-ins saw; empty when the run had none.
Table standins_table(const record::Record& record);

}  // namespace weighbridge::report
