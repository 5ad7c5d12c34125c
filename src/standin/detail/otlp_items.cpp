#include "standin/detail/otlp_items.h"

#include <simdjson.h>

#include <array>
#include <span>

namespace weighbridge::standin::detail {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

/// Where the items of a signal stand: in JSON by name, in protobuf by field number.
struct Signal {
  std::string_view name;
  std::string_view resources;
  std::string_view scopes;
  std::string_view items;  ///< metrics hold data points one level deeper
};
constexpr std::array kSignals{
    Signal{"traces", "resourceSpans", "scopeSpans", "spans"},
    Signal{"metrics", "resourceMetrics", "scopeMetrics", "metrics"},
    Signal{"logs", "resourceLogs", "scopeLogs", "logRecords"},
};
constexpr std::array<std::string_view, 5> kMetricKinds{"gauge", "sum", "histogram",
                                                       "exponentialHistogram", "summary"};

const Signal* find_signal(std::string_view name) {
  for (const auto& signal : kSignals)
    if (signal.name == name) return &signal;
  return nullptr;
}

// --- JSON --------------------------------------------------------------------------------------

/// The sum of `count` over the members of an array; nothing when there is none.
template <typename Count>
std::uint64_t sum_over(const element& value, std::string_view name, const Count& count) {
  array found;
  std::uint64_t sum = 0;
  if (value.is_object() && value[name].get(found) == simdjson::SUCCESS)
    for (const element each : found) sum += count(each);
  return sum;
}

std::uint64_t count_points(const element& metric) {
  std::uint64_t count = 0;
  for (const auto kind : kMetricKinds) {
    element data;
    if (metric.is_object() && metric[kind].get(data) == simdjson::SUCCESS)
      count += sum_over(data, "dataPoints", [](const element&) { return 1U; });
  }
  return count;
}

std::optional<std::uint64_t> count_json(const Signal& signal, std::string_view body) {
  simdjson::dom::parser parser;
  element root;
  if (parser.parse(body.data(), body.size()).get(root) != simdjson::SUCCESS || !root.is_object())
    return std::nullopt;
  return sum_over(root, signal.resources, [&](const element& resource) {
    return sum_over(resource, signal.scopes, [&](const element& scope) {
      return sum_over(scope, signal.items, [&](const element& item) {
        return signal.name == "metrics" ? count_points(item) : std::uint64_t{1};
      });
    });
  });
}

// --- protobuf ----------------------------------------------------------------------------------

bool read_varint(std::string_view& text, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !text.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool skip(std::string_view& text, std::uint64_t bytes) {
  if (bytes > text.size()) return false;
  text.remove_prefix(bytes);
  return true;
}

/// Calls `on_message(field, bytes)` for every length-delimited field; false when it is no message.
template <typename OnMessage>
bool each_message(std::string_view text, const OnMessage& on_message) {
  while (!text.empty()) {
    std::uint64_t key = 0;
    std::uint64_t value = 0;
    if (!read_varint(text, key)) return false;
    bool good = false;
    switch (key & 7U) {
      case 0:
        good = read_varint(text, value);
        break;
      case 1:
        good = skip(text, 8);
        break;
      case 2:
        good = read_varint(text, value) && value <= text.size() &&
               on_message(key >> 3U, text.substr(0, value)) && skip(text, value);
        break;
      case 5:
        good = skip(text, 4);
        break;
      default:
        break;
    }
    if (!good) return false;
  }
  return true;
}

/// Counts the messages that `path` leads to, field number by field number; 0 stands for any of a
/// metric's kinds.
bool count_at(std::string_view text, std::span<const std::uint64_t> path, std::uint64_t& count) {
  constexpr std::array<std::uint64_t, 5> kKinds{5, 7, 9, 10, 11};
  return each_message(text, [&](std::uint64_t field, std::string_view inner) {
    bool is_kind = false;
    for (const auto kind : kKinds) is_kind |= field == kind;
    if (path.front() == 0 ? !is_kind : field != path.front()) return true;
    if (path.size() > 1) return count_at(inner, path.subspan(1), count);
    ++count;
    return true;
  });
}

std::optional<std::uint64_t> count_protobuf(const Signal& signal, std::string_view body) {
  static constexpr std::array<std::uint64_t, 3> kItems{1, 2, 2};
  static constexpr std::array<std::uint64_t, 5> kPoints{1, 2, 2, 0, 1};
  std::uint64_t count = 0;
  const auto path = signal.name == "metrics" ? std::span<const std::uint64_t>(kPoints)
                                             : std::span<const std::uint64_t>(kItems);
  return count_at(body, path, count) ? std::optional(count) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> count_otlp_items(std::string_view signal, OtlpForm form,
                                              std::string_view body) {
  const Signal* const known = find_signal(signal);
  if (known == nullptr) return std::nullopt;
  return form == OtlpForm::json ? count_json(*known, body) : count_protobuf(*known, body);
}

}  // namespace weighbridge::standin::detail
