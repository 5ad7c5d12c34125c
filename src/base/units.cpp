#include "base/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace weighbridge {
namespace {

struct Scale {
  std::string_view suffix;
  double factor;
};

/// Splits "12.5ms" into 12.5 and "ms". A missing or negative number is an error.
Result<std::pair<double, std::string_view>> split_number(std::string_view text,
                                                         std::string_view example) {
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || number < 0 || !std::isfinite(number)) {
    return fail(ErrorCode::usage, fmt::format("\"{}\" is not a quantity", text), {},
                fmt::format("Write a number and a unit, for example {}", example));
  }
  return std::pair{number, text.substr(static_cast<std::size_t>(end - text.data()))};
}

template <std::size_t N>
Result<double> scaled(std::string_view text, const std::array<Scale, N>& scales,
                      std::string_view example) {
  WB_TRY(const auto parts, split_number(text, example));
  const auto [number, suffix] = parts;
  for (const Scale& scale : scales) {
    if (scale.suffix == suffix) return number * scale.factor;
  }
  if (suffix.empty() && number == 0) return 0.0;
  return fail(ErrorCode::usage, fmt::format("\"{}\" has no unit that is known here", text), {},
              fmt::format("Write for example {}", example));
}

/// Three significant digits without trailing exponent: 1.42, 14.2, 142, 1420.
std::string three_digits(double value) {
  if (std::fabs(value) >= 99.95) return fmt::format("{:.0f}", value);
  if (std::fabs(value) >= 9.995) return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  static constexpr std::array<Scale, 6> kScales{
      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}}};
  WB_TRY(const double nanoseconds, scaled(text, kScales, "\"10s\" or \"500ms\""));
  if (nanoseconds > 9e18)
    return fail(ErrorCode::usage, fmt::format("\"{}\" is too long a time", text));
  return Duration(std::llround(nanoseconds));
}

Result<std::uint64_t> parse_size(std::string_view text) {
  static constexpr std::array<Scale, 9> kScales{{{"", 1},
                                                 {"B", 1},
                                                 {"KiB", 1024},
                                                 {"MiB", 1024.0 * 1024},
                                                 {"GiB", 1024.0 * 1024 * 1024},
                                                 {"kB", 1e3},
                                                 {"KB", 1e3},
                                                 {"MB", 1e6},
                                                 {"GB", 1e9}}};
  WB_TRY(const double bytes, scaled(text, kScales, "\"512MiB\" or \"50KiB\""));
  if (bytes > 9e18) return fail(ErrorCode::usage, fmt::format("\"{}\" is too large a size", text));
  return static_cast<std::uint64_t>(std::llround(bytes));
}

std::string format_duration(Duration span) {
  const long long ns = span.count();
  if (ns == 0) return "0s";
  if (ns % 1'000'000'000 == 0) return fmt::format("{}s", ns / 1'000'000'000);
  if (ns % 1'000'000 == 0) return fmt::format("{}ms", ns / 1'000'000);
  if (ns % 1'000 == 0) return fmt::format("{}us", ns / 1'000);
  return fmt::format("{}ns", ns);
}

std::string format_size_binary(double bytes) {
  static constexpr std::array<std::string_view, 4> kUnits{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (std::fabs(bytes) >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes)
                   : fmt::format("{} {}", three_digits(bytes), kUnits[unit]);
}

std::string format_size_decimal(double bytes) {
  static constexpr std::array<std::string_view, 4> kUnits{"B", "KB", "MB", "GB"};
  std::size_t unit = 0;
  while (std::fabs(bytes) >= 1000 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes)
                   : fmt::format("{} {}", three_digits(bytes), kUnits[unit]);
}

double to_mib(double bytes) {
  return bytes / (1024.0 * 1024.0);
}

double to_kib(double bytes) {
  return bytes / 1024.0;
}

}  // namespace weighbridge
