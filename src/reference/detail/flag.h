#pragma once

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/error.h"
#include "reference/options.h"

namespace weighbridge::reference {

using Given = std::optional<std::string_view>;  ///< what follows `=`, or the next word

/// One word of the command line: how it is called, said and read.
struct Flag {
  std::string_view name;
  std::string_view value;  ///< what stands for it in the help; empty: a switch
  std::string_view help;
  Result<void> (*read)(Given, Options&);
};

/// The known weights, in the order of the help.
std::span<const Flag> weight_flags();
/// Who is served, and how much.
std::span<const Flag> limit_flags();

/// ErrorCode::usage.
std::unexpected<Error> wrong(std::string what, std::string remedy = {});

template <typename Number>
Result<void> read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && !text.empty()) return {};
  return wrong(fmt::format("\"{}\" is no number that will do", text));
}

Result<void> read_bool(Given text, bool& value);
Result<void> read_duration(std::string_view text, Duration& value);
Result<void> read_size(std::string_view text, std::uint64_t& value);

}  // namespace weighbridge::reference
