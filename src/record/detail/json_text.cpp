#include "record/detail/json_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace weighbridge::record::detail {
namespace {

/// A reading to six decimals. From 2^53 / 10^6 on a double has no six decimals to round.
double rounded(double number) {
  constexpr double kScale = 1e6;
  constexpr double kExact = 9e9;
  if (std::fabs(number) >= kExact) return number;
  return std::round(number * kScale) / kScale + 0.0;  // + 0.0: no -0
}

}  // namespace

void JsonText::line() {
  text_ += '\n';
  text_.append(static_cast<std::size_t>(depth_) * 2, ' ');
}

void JsonText::open(char bracket) {
  text_ += bracket;
  ++depth_;
  empty_ = true;
}

void JsonText::close(char bracket) {
  --depth_;
  if (!empty_) line();
  text_ += bracket;
  empty_ = false;
}

void JsonText::next() {
  if (!empty_) text_ += ',';
  empty_ = false;
  line();
}

void JsonText::next(std::string_view name) {
  next();
  scalar(name);
  text_ += ": ";
}

void JsonText::scalar(std::int64_t number) {
  fmt::format_to(std::back_inserter(text_), "{}", number);
}

void JsonText::scalar(std::uint64_t number) {
  fmt::format_to(std::back_inserter(text_), "{}", number);
}

void JsonText::scalar(double number) {
  if (std::isfinite(number))
    fmt::format_to(std::back_inserter(text_), "{}", rounded(number));
  else
    null();
}

void JsonText::scalar(std::string_view text) {
  using Json = nlohmann::json;
  text_ += Json(text).dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

std::string JsonText::take() {
  text_ += '\n';
  return std::move(text_);
}

}  // namespace weighbridge::record::detail
