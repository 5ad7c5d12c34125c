#pragma once

#include <cstdint>

#include "protocol/server_route.h"

namespace weighbridge::reference {

// JSON-RPC codes of this server's own limits: the HTTP status that says the same, a hundred times
// below zero.
constexpr std::int64_t kRateLimited = -42900;
constexpr std::int64_t kBusy = -50300;
constexpr std::int64_t kStillBuilding = -32000;

constexpr std::string_view kBusyText = "This server is busy. Retry later.";

inline protocol::Refusal busy_refusal() {
  return {.code = kBusy, .message = std::string(kBusyText), .data = {}, .http_status = 503};
}

}  // namespace weighbridge::reference
