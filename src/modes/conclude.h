#pragma once

#include <optional>

#include "base/error.h"
#include "modes/observer.h"
#include "os/interrupt.h"
#include "record/record.h"

namespace weighbridge::modes {

/// The last step of every mode: how its document ended, saved once more. Returns what is to be
/// told: the mode's own error first, because that of the saving must not hide the cause.
template <typename Document>
std::optional<Error> conclude(Document& document, Result<void> result, Observer& observer) {
  if (os::interrupted())
    result = fail(ErrorCode::interrupted, "interrupted", {}, "What was finished is in the record");
  document.status = record::Status::complete;
  if (!result) {
    document.status = result.error().code == ErrorCode::interrupted ? record::Status::interrupted
                                                                    : record::Status::broke_off;
    document.broke_off_because = describe(result.error());
  }
  const auto saved = observer.on_step(document);
  if (!result) return result.error();
  if (!saved) return saved.error();
  return std::nullopt;
}

}  // namespace weighbridge::modes
