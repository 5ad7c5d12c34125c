#include "reference/program.h"

#include "weighbridge_version.h"

namespace weighbridge::reference {

std::string_view program_version() {
  return WEIGHBRIDGE_VERSION;
}

std::string_view program_commit() {
  return WEIGHBRIDGE_COMMIT;
}

std::string_view program_build() {
  return WEIGHBRIDGE_BUILD_TYPE;
}

}  // namespace weighbridge::reference
