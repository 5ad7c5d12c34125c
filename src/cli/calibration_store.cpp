#include "cli/calibration_store.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <variant>

#include "cli/version.h"
#include "modes/assemble.h"
#include "os/file.h"
#include "os/host.h"
#include "os/read_file.h"
#include "record/json.h"

namespace weighbridge::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargest = 16 << 20;

/// FNV-1a: a short name for a host and a build; what is in the file decides whether it is theirs.
std::uint64_t digest(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

std::string CalibrationStore::path_of(const record::Host& host, const record::Build& build) const {
  const std::string key =
      fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}", host.cpu_model, host.logical_cpus, host.kernel,
                  host.distribution, host.architecture, build.version, build.commit, build.compiler,
                  build.build_type);
  return fmt::format("{}/weighbridge/calibration-{:016x}.json", state_home_, digest(key));
}

Result<std::string> CalibrationStore::keep(const record::Calibration& calibration) const {
  const bool whole = calibration.status == record::Status::complete && calibration.only.empty();
  const record::Accuracy& accuracy = calibration.accuracy;
  const bool judged = accuracy.memory_percent || accuracy.cpu_percent || accuracy.p99_us;
  if (state_home_.empty() || !whole || !judged) return std::string();
  if (calibration.quick) {
    const auto before = find(calibration.host, calibration.build);
    if (before && !before->quick) return std::string();
  }
  const std::string path = path_of(calibration.host, calibration.build);
  std::error_code trouble;
  fs::create_directories(fs::path(path).parent_path(), trouble);
  if (trouble)
    return fail(ErrorCode::run,
                fmt::format("the calibration cannot be kept in {}: {}",
                            fs::path(path).parent_path().string(), trouble.message()),
                {}, "Name another folder with XDG_STATE_HOME");
  WB_CHECK(os::save_atomically(path, record::to_json(calibration)));
  return path;
}

std::optional<record::Calibration> CalibrationStore::find(const record::Host& host,
                                                          const record::Build& build) const {
  if (state_home_.empty()) return std::nullopt;
  const std::string path = path_of(host, build);
  const auto text = os::read_file(path, kLargest);
  if (!text) return std::nullopt;
  auto read = record::any_from_json(*text, path);
  if (!read) return std::nullopt;
  auto* const calibration = std::get_if<record::Calibration>(&*read);
  if (calibration == nullptr || !record::same_machine(calibration->host, host) ||
      !record::same_build(calibration->build, build))
    return std::nullopt;
  return std::move(*calibration);
}

std::optional<record::Accuracy> accuracy_here(const std::string& state_home) {
  const record::Host host = modes::host_of(os::read_host_facts(), os::read_host_load());
  const auto calibration = CalibrationStore(state_home).find(host, this_build());
  return calibration ? std::optional(calibration->accuracy) : std::nullopt;
}

}  // namespace weighbridge::cli
