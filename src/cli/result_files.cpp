#include "cli/result_files.h"

#include <fmt/format.h>

#include <filesystem>

#include "os/file.h"
#include "record/json.h"
#include "report/calibration_view.h"
#include "report/load_view.h"
#include "report/markdown.h"

namespace weighbridge::cli {
namespace {

/// 2026-11-30T17:00:00Z as it looks well in a name: 20261130T170000Z.
std::string compact(std::string rfc3339) {
  std::erase_if(rfc3339, [](char c) { return c == '-' || c == ':'; });
  return rfc3339;
}

namespace fs = std::filesystem;

constexpr const char* kResults = "weighbridge-results";
/// What a small record takes: a full disk still has room for an empty file.
constexpr std::size_t kTrialBytes = 64 << 10;

std::string free_name(const std::string& name, const std::string& timestamp) {
  const std::string base = fmt::format("{}/{}-{}", kResults, name, timestamp);
  std::string candidate = base;
  std::error_code none;
  for (int number = 2; fs::exists(candidate, none); ++number)
    candidate = fmt::format("{}-{}", base, number);
  return candidate;
}

std::unexpected<Error> unwritable(const std::string& directory, const std::string& reason) {
  return fail(ErrorCode::usage, fmt::format("cannot write results to {}: {}", directory, reason),
              {}, "Name another folder with -o DIR");
}

}  // namespace

Result<ResultFiles> ResultFiles::open(const std::string& wanted, const std::string& name,
                                      const std::string& now) {
  const std::string directory = wanted.empty() ? free_name(name, compact(now)) : wanted;
  std::error_code trouble;
  const bool made = fs::create_directories(directory, trouble);
  if (trouble) return unwritable(directory, trouble.message());
  ResultFiles files(directory, made);
  for (const std::string& path : {files.record_path(), files.report_path()}) {
    if (fs::is_directory(path, trouble)) return unwritable(path, "a folder is in the way");
  }
  // The way the record will go, under another name: an older record stays as it is until there is
  // something to put in its place.
  const std::string trial = directory + "/.weighbridge-trial";
  if (auto saved = os::save_atomically(trial, std::string(kTrialBytes, ' ')); !saved) {
    files.remove_if_unused();
    return unwritable(directory, saved.error().what);
  }
  fs::remove(trial, trouble);
  return files;
}

Result<void> ResultFiles::save_record(const record::Record& record) const {
  return os::save_atomically(record_path(), record::to_json(record));
}

Result<void> ResultFiles::save_report(const record::Record& record) const {
  return os::save_atomically(report_path(), report::to_markdown(report::view_of(record)));
}

Result<void> ResultFiles::save_record(const record::LoadRecord& record) const {
  return os::save_atomically(record_path(), record::to_json(record));
}

Result<void> ResultFiles::save_report(const record::LoadRecord& record) const {
  return os::save_atomically(report_path(), report::to_markdown(report::view_of(record)));
}

Result<void> ResultFiles::save_record(const record::Calibration& record) const {
  return os::save_atomically(record_path(), record::to_json(record));
}

Result<void> ResultFiles::save_report(const record::Calibration& record) const {
  return os::save_atomically(report_path(), report::to_markdown(report::view_of(record)));
}

void ResultFiles::remove_if_unused() const {
  if (!made_) return;
  // remove() leaves a folder that holds something.
  std::error_code none;
  if (fs::remove(directory_, none) && fs::path(directory_).parent_path() == kResults)
    fs::remove(kResults, none);
}

}  // namespace weighbridge::cli
