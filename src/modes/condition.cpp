#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/units.h"
#include "base/words.h"
#include "modes/load_run.h"

namespace weighbridge::modes {
namespace {

using Figure = Condition::Figure;

struct Named {
  std::string_view name;
  Figure figure;
};
constexpr std::array kFigures{Named{"p50", Figure::p50},       Named{"p90", Figure::p90},
                              Named{"p99", Figure::p99},       Named{"p99.9", Figure::p999},
                              Named{"max", Figure::max},       Named{"refused", Figure::refused},
                              Named{"failed", Figure::failed}, Named{"hung", Figure::hung}};

bool is_count(Figure figure) {
  return figure == Figure::refused || figure == Figure::failed || figure == Figure::hung;
}

std::unexpected<Error> not_understood(std::string_view text) {
  return fail(ErrorCode::usage, fmt::format("\"{}\" is no condition", text), "--until",
              "Write for example 'p99>200ms', 'max>1s', 'failed>1%' or 'hung>0'; the figures are "
              "p50, p90, p99, p99.9, max, refused, failed and hung");
}

double latency(Figure figure, const record::Latency& latency) {
  switch (figure) {
    case Figure::p50:
      return latency.p50_ms;
    case Figure::p90:
      return latency.p90_ms.value_or(latency.max_ms);
    case Figure::p99:
      return latency.p99_ms.value_or(latency.max_ms);
    case Figure::p999:
      return latency.p999_ms.value_or(latency.max_ms);
    default:
      return latency.max_ms;
  }
}

}  // namespace

Result<Condition> parse_condition(std::string_view text) {
  const auto sign = text.find('>');
  if (sign == std::string_view::npos) return not_understood(text);
  const auto name = trim(text.substr(0, sign));
  auto limit = trim(text.substr(sign + 1));
  for (const Named& known : kFigures) {
    if (known.name != name) continue;
    Condition condition{.figure = known.figure, .words = std::string(text)};
    if (!is_count(known.figure)) {
      const auto span = parse_duration(limit);
      if (!span) return not_understood(text);
      condition.limit = to_milliseconds(*span);
      return condition;
    }
    condition.share = limit.ends_with('%');
    if (condition.share) limit.remove_suffix(1);
    const auto [end, error] =
        std::from_chars(limit.data(), limit.data() + limit.size(), condition.limit);
    if (error != std::errc{} || end != limit.data() + limit.size() || condition.limit < 0)
      return not_understood(text);
    if (condition.share) condition.limit /= 100;
    return condition;
  }
  return not_understood(text);
}

bool comes_true(const Condition& condition, const record::LoadStep& step) {
  if (!is_count(condition.figure))
    return !step.latency || latency(condition.figure, *step.latency) > condition.limit;
  const std::uint64_t count = condition.figure == Figure::refused  ? step.refused
                              : condition.figure == Figure::failed ? step.failed
                                                                   : step.hung;
  const double seen = static_cast<double>(count);
  if (!condition.share) return seen > condition.limit;
  return step.sent > 0 && seen / static_cast<double>(step.sent) > condition.limit;
}

}  // namespace weighbridge::modes
