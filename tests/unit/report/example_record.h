#pragma once

#include "record/record.h"

namespace weighbridge::report {

/// A whole run of a gateway with two variants on both transports, three repeats, a limiter,
/// stand-ins, a launcher and doubts: something in every table.
record::Record whole_record();

/// The same run interrupted in its first repeat: one scenario was finished, the others never began.
record::Record interrupted_record();

/// A quick run of one stdio server without a plan: one repeat, no intervals, nothing behind it.
record::Record quick_record();

}  // namespace weighbridge::report
