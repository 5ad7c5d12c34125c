#pragma once

#include "record/load_record.h"
#include "report/view.h"

namespace weighbridge::report {

/// The record of `weighbridge load` as people read it. Pure.
View view_of(const record::LoadRecord& record);

}  // namespace weighbridge::report
