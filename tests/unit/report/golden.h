#pragma once

#include <string>

namespace weighbridge::report {

/// Compares with the approved text tests/golden/<name>. With WEIGHBRIDGE_UPDATE_GOLDEN=1 in the
/// environment the text is approved instead: read the difference before it is committed.
void expect_golden(const std::string& name, const std::string& text);

}  // namespace weighbridge::report
