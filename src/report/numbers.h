#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stats/interval.h"

namespace weighbridge::report {

/// How a figure that was not measured is printed. Never 0: unmeasured is not zero.
constexpr std::string_view kAbsent = "—";

/// Three significant digits, whole numbers from 100 up: "0.00512", "1.42", "14.2", "142", "1420".
/// At most six decimals, so that a nanosecond in milliseconds still shows. Not finite: absent.
std::string figure(double value);
std::string figure(const std::optional<double>& value);

/// A count, digit by digit.
std::string whole(std::uint64_t count);
std::string whole(const std::optional<std::uint64_t>& count);

/// A share of one as a percentage: 0.0213 is "2.13 %".
std::string percentage(double share);

/// A figure and, apart, what is known of its precision, so that each output may place the two.
struct Cell {
  std::string value{kAbsent};
  std::string spread;  ///< "[105, 108]"; empty: none, or it prints as the figure itself

  Cell() = default;
  /*implicit*/ Cell(std::string text) : value(std::move(text)) {}
  Cell(std::string text, std::string interval)
      : value(std::move(text)), spread(std::move(interval)) {}
};

/// "106" and "[105, 108]". One precision for the three numbers: the figure's own, made finer only
/// when the figure is small against its interval (a slope of 0.02 within [-0.53, 0.57]).
Cell figure_cell(const std::optional<double>& value,
                 const std::optional<stats::Interval>& interval);
Cell figure_cell(const std::optional<stats::Estimate>& estimate);
/// The same for things that are counted: "34" rather than "34.0".
Cell count_cell(const std::optional<stats::Estimate>& estimate);

/// "106 [105, 108]", or the figure alone.
std::string joined(const Cell& cell);

}  // namespace weighbridge::report
