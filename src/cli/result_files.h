#pragma once

#include <string>

#include "base/error.h"
#include "record/calibration.h"
#include "record/load_record.h"
#include "record/record.h"

namespace weighbridge::cli {

/// The folder in which one run leaves its files. Every file is written whole or not at all.
class ResultFiles {
 public:
  /// Makes the folder and proves that it can be written, so that a bad path costs seconds and not a
  /// measurement. `wanted` as the words gave it, or empty: then
  /// weighbridge-results/<name>-<when>, with a number behind it when that exists. `now`: RFC 3339.
  /// ErrorCode::usage.
  static Result<ResultFiles> open(const std::string& wanted, const std::string& name,
                                  const std::string& now);

  [[nodiscard]] std::string record_path() const { return directory_ + "/record.json"; }
  [[nodiscard]] std::string report_path() const { return directory_ + "/report.md"; }

  [[nodiscard]] Result<void> save_record(const record::Record& record) const;
  [[nodiscard]] Result<void> save_report(const record::Record& record) const;
  [[nodiscard]] Result<void> save_record(const record::LoadRecord& record) const;
  [[nodiscard]] Result<void> save_report(const record::LoadRecord& record) const;
  [[nodiscard]] Result<void> save_record(const record::Calibration& record) const;
  [[nodiscard]] Result<void> save_report(const record::Calibration& record) const;

  /// Takes the folder away again if open() made it and nothing was put there.
  void remove_if_unused() const;

 private:
  explicit ResultFiles(std::string directory, bool made)
      : directory_(std::move(directory)), made_(made) {}

  std::string directory_;
  bool made_;
};

}  // namespace weighbridge::cli
