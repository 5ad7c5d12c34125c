#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace weighbridge::standin::detail {

enum class OtlpForm : std::uint8_t { json, protobuf };

/// How many spans, data points or log records an export of `signal` ("traces", "metrics", "logs")
/// holds (opentelemetry-proto 1.x). nullopt when the body is not of this form, as when it is
/// compressed, or the signal is another.
std::optional<std::uint64_t> count_otlp_items(std::string_view signal, OtlpForm form,
                                              std::string_view body);

}  // namespace weighbridge::standin::detail
