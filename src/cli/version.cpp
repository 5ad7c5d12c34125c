#include "cli/version.h"

#include <fmt/format.h>

#include "weighbridge_version.h"

namespace weighbridge::cli {

record::Build this_build() {
#if defined(__clang__)
  const std::string compiler = fmt::format("clang++ {}", __clang_version__);
#else
  const std::string compiler =
      fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
  return {.version = WEIGHBRIDGE_VERSION,
          .commit = WEIGHBRIDGE_COMMIT,
          .compiler = compiler,
          .build_type = WEIGHBRIDGE_BUILD_TYPE};
}

std::string version_line() {
  const record::Build build = this_build();
  std::string details;
  for (const std::string& detail : {build.commit, build.compiler, build.build_type}) {
    if (detail.empty()) continue;
    details += (details.empty() ? "" : ", ") + detail;
  }
  return fmt::format("weighbridge {} ({})", build.version, details);
}

}  // namespace weighbridge::cli
