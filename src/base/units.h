#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"

namespace weighbridge {

/// "10s", "500ms", "2m", "1h", "250us", "40ns", "1.5s"; a bare "0" is zero. Negative is refused.
Result<Duration> parse_duration(std::string_view text);

/// "512MiB", "50KiB", "4GiB", "100B", "12kB", "3MB" (decimal), or a bare number of bytes.
Result<std::uint64_t> parse_size(std::string_view text);

/// The shortest exact form that parse_duration reads back: "10s", "1500ms", "250us".
std::string format_duration(Duration span);

/// Three significant digits with a binary unit: "1.42 MiB", "106 KiB", "12 B".
std::string format_size_binary(double bytes);

/// Three significant digits with a decimal unit, for payloads: "3.20 MB", "12.0 KB", "540 B".
std::string format_size_decimal(double bytes);

double to_mib(double bytes);
double to_kib(double bytes);

}  // namespace weighbridge
