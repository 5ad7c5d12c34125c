#include "reference/stats.h"

#include <fmt/format.h>

#include <algorithm>

namespace weighbridge::reference {

using namespace std::string_view_literals;

const std::array<std::string_view, Stats::kRows> Stats::kMethods{
    "(transport)"sv,    "(other)"sv,
    "initialize"sv,     "server/discover"sv,
    "ping"sv,           "tools/list"sv,
    "tools/call"sv,     "resources/list"sv,
    "resources/read"sv, "resources/templates/list"sv};

std::string_view to_string(Ending ending) {
  constexpr std::array kNames{"ok"sv, "is_error"sv, "error"sv, "refused"sv, "abandoned"sv};
  return kNames[static_cast<std::size_t>(ending)];
}

void Stats::request_began() {
  ++began_;
  peak_in_flight_ = std::max(peak_in_flight_, ++in_flight_);
}

void Stats::request_ended(std::string_view method, Ending ending) {
  --in_flight_;
  const auto* const known = std::ranges::find(kMethods, method);
  const auto row =
      known != kMethods.end() ? static_cast<std::size_t>(known - kMethods.begin()) : kOther;
  ++by_method_[row][static_cast<std::size_t>(ending)];
}

std::string Stats::render(const Surroundings& around) const {
  std::string methods;
  for (std::size_t row = 0; row < kRows; ++row) {
    if (std::ranges::all_of(by_method_[row], [](auto count) { return count == 0; })) continue;
    methods += fmt::format("{}\"{}\":{{", methods.empty() ? "" : ",", kMethods[row]);
    for (std::size_t i = 0; i < kEndings; ++i)
      methods += fmt::format("{}\"{}\":{}", i == 0 ? "" : ",", to_string(static_cast<Ending>(i)),
                             by_method_[row][i]);
    methods += '}';
  }
  std::string text = fmt::format(
      R"({{"server":{{"surface":"{}","transport":"{}","uptime_seconds":{:.3f}}},)"
      R"("requests":{{"total":{},"in_flight":{},"peak_in_flight":{},"by_method":{{{}}}}},)"
      R"("notifications":{},"responses":{},"credentials_seen":{},)",
      around.surface, around.transport, to_seconds(around.now - started_), began_, in_flight_,
      peak_in_flight_, methods, notifications, responses, credentials_.size());
  text += fmt::format(
      R"("sessions":{{"opened":{},"closed":{},"expired":{},"live":{}}},)"
      R"("upstream":{{"calls":{},"errors":{},"failures":{},"timeouts":{},"connections_opened":{}}},)"
      R"("connections":{{"accepted":{},"open":{}}},"bytes":{{"received":{},"sent":{}}},)",
      sessions_opened, sessions_closed, sessions_expired,
      sessions_opened - sessions_closed - sessions_expired, upstream_calls, upstream_errors,
      upstream_failures, upstream_timeouts, around.upstream_connections_opened,
      around.connections_accepted, around.connections_open, bytes_received, bytes_sent);
  text.append(R"("limits":)").append(limits.render());
  text += fmt::format(R"(,"catalogue":{{"builds":{}}},"weights":{},)", catalogue_builds,
                      weights.render());
  return text + fmt::format(R"("telemetry":{{"spans_exported":{},"spans_dropped":{},)"
                            R"("exports_failed":{}}}}})",
                            spans_exported, spans_dropped, exports_failed);
}

}  // namespace weighbridge::reference
