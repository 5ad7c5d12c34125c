#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weighbridge::protocol {

/// RFC 4648, with padding.
std::string encode_base64(std::string_view bytes);
/// Line ends and missing padding are forgiven; nullopt for anything else that is not base64.
std::optional<std::string> decode_base64(std::string_view text);
/// Only what encode_base64 writes: of the many texts that stand for the same bytes just one.
std::optional<std::string> decode_strict_base64(std::string_view text);

}  // namespace weighbridge::protocol
