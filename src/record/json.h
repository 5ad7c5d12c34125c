#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "record/calibration.h"
#include "record/load_record.h"
#include "record/record.h"

namespace weighbridge::record {

/// The record as JSON: fixed member order, two-space indent, arrays of numbers on one line,
/// shortest doubles, absent as null, trailing newline. Described by schema/record.schema.json.
std::string to_json(const Record& record);
/// The same for `weighbridge load`; described by schema/load-record.schema.json.
std::string to_json(const LoadRecord& record);
/// The same for `weighbridge calibrate`; described by schema/calibration.schema.json.
std::string to_json(const Calibration& record);

/// Reads what to_json wrote. ErrorCode::malformed names the path of the member that is wrong; a
/// newer schema number is refused by name.
Result<Record> from_json(std::string_view text, const std::string& path);

/// The record of whatever mode wrote it. Errors as above.
using AnyRecord = std::variant<Record, LoadRecord, Calibration>;
Result<AnyRecord> any_from_json(std::string_view text, const std::string& path);

/// The document as its file has it, where readings have six decimals. What is drawn at once is
/// drawn from this, so that the file draws the same bytes again.
template <typename Document>
Document as_written(const Document& document) {
  return std::get<Document>(any_from_json(to_json(document), "").value());
}

}  // namespace weighbridge::record
