#include "protocol/era.h"

#include <algorithm>
#include <array>

namespace weighbridge::protocol {
namespace {

// 2024-11-05 has no Streamable HTTP of its own, but servers do negotiate it over that transport,
// and then the transport's rules (session ids and their DELETE) hold: hence sessions = true.
constexpr std::array<Era, 5> kEras{{
    {.revision = Revision::v2024_11_05,
     .name = "2024-11-05",
     .handshake = true,
     .sessions = true,
     .version_header = false,
     .method_headers = false,
     .batches = false,
     .ping = true,
     .priming_events = false,
     .server_requests = true,
     .structured_content = false,
     .cache_hints = false},
    {.revision = Revision::v2025_03_26,
     .name = "2025-03-26",
     .handshake = true,
     .sessions = true,
     .version_header = false,
     .method_headers = false,
     .batches = true,
     .ping = true,
     .priming_events = false,
     .server_requests = true,
     .structured_content = false,
     .cache_hints = false},
    {.revision = Revision::v2025_06_18,
     .name = "2025-06-18",
     .handshake = true,
     .sessions = true,
     .version_header = true,
     .method_headers = false,
     .batches = false,
     .ping = true,
     .priming_events = false,
     .server_requests = true,
     .structured_content = true,
     .cache_hints = false},
    {.revision = Revision::v2025_11_25,
     .name = "2025-11-25",
     .handshake = true,
     .sessions = true,
     .version_header = true,
     .method_headers = false,
     .batches = false,
     .ping = true,
     .priming_events = true,
     .server_requests = true,
     .structured_content = true,
     .cache_hints = false},
    {.revision = Revision::v2026_07_28,
     .name = "2026-07-28",
     .handshake = false,
     .sessions = false,
     .version_header = true,
     .method_headers = true,
     .batches = false,
     .ping = false,
     .priming_events = false,
     .server_requests = false,
     .structured_content = true,
     .cache_hints = true},
}};

}  // namespace

std::span<const Era> eras() {
  return kEras;
}

const Era& era(Revision revision) {
  return kEras.at(static_cast<std::size_t>(revision));
}

const Era* find_era(std::string_view name) {
  const auto* found =
      std::ranges::find_if(kEras, [name](const Era& candidate) { return candidate.name == name; });
  return found == kEras.end() ? nullptr : found;
}

const Era& newest_era() {
  return kEras.back();
}

const Era& newest_handshake_era() {
  static_assert(kEras[3].handshake && !kEras[4].handshake);
  return kEras[3];
}

}  // namespace weighbridge::protocol
