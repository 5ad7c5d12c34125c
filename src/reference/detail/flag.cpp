#include "reference/detail/flag.h"

#include "base/units.h"

namespace weighbridge::reference {

std::unexpected<Error> wrong(std::string what, std::string remedy) {
  return fail(ErrorCode::usage, std::move(what), {}, std::move(remedy));
}

Result<void> read_bool(Given text, bool& value) {
  if (!text || *text == "true") {
    value = true;
  } else if (*text == "false") {
    value = false;
  } else {
    return wrong(fmt::format("\"{}\" is neither true nor false", *text));
  }
  return {};
}

Result<void> read_duration(std::string_view text, Duration& value) {
  WB_TRY(value, parse_duration(text));
  return {};
}

Result<void> read_size(std::string_view text, std::uint64_t& value) {
  WB_TRY(value, parse_size(text));
  return {};
}

}  // namespace weighbridge::reference
