#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "record/calibration.h"

namespace weighbridge::cli {

/// The last calibration of every host and build that this user has calibrated, one file each, in
/// weighbridge/ under the user's state folder and nowhere else.
class CalibrationStore {
 public:
  /// `state_home`: what XDG_STATE_HOME names; empty: nothing is kept and nothing found.
  explicit CalibrationStore(std::string state_home) : state_home_(std::move(state_home)) {}

  /// Keeps a calibration that is complete, of all weights and could judge some of them, unless it
  /// is a quick one and a full one of the same host and build is there. The path when it was kept,
  /// empty when not.
  [[nodiscard]] Result<std::string> keep(const record::Calibration& calibration) const;

  /// What was kept of this host and build; absent when nothing was, or it cannot be read.
  [[nodiscard]] std::optional<record::Calibration> find(const record::Host& host,
                                                        const record::Build& build) const;

 private:
  [[nodiscard]] std::string path_of(const record::Host& host, const record::Build& build) const;

  std::string state_home_;
};

/// The accuracy statement for what is measured on this host by this build.
std::optional<record::Accuracy> accuracy_here(const std::string& state_home);

}  // namespace weighbridge::cli
