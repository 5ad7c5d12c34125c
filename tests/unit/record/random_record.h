#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/calibration.h"
#include "record/load_record.h"
#include "record/record.h"

namespace weighbridge::record {

/// A record in which every member has some value, absent, empty and odd ones among them.
Record random_record(std::uint64_t seed);

LoadRecord random_load_record(std::uint64_t seed);
Calibration random_calibration(std::uint64_t seed);

/// Every value of a record with its path, one per line, by a way that knows nothing of JSON.
std::vector<std::string> flattened(const Record& record);
std::vector<std::string> flattened(const LoadRecord& record);
std::vector<std::string> flattened(const Calibration& calibration);

}  // namespace weighbridge::record
