#include "record/doubt.h"

#include <array>
#include <utility>

namespace weighbridge::record {
namespace {

using enum DoubtKind;

// A switch would let the compiler watch for a forgotten kind in one direction only.
constexpr std::array<std::pair<DoubtKind, std::string_view>, 20> kNames{{
    {driver_limited, "driver_limited"},
    {noisy_host, "noisy_host"},
    {unsettled, "unsettled"},
    {missing_source, "missing_source"},
    {tool_chosen, "tool_chosen"},
    {no_tool, "no_tool"},
    {method_left_out, "method_left_out"},
    {nothing_served, "nothing_served"},
    {outcomes_mixed, "outcomes_mixed"},
    {too_few_samples, "too_few_samples"},
    {cpu_incomplete, "cpu_incomplete"},
    {orphans_ended, "orphans_ended"},
    {target_died, "target_died"},
    {attached, "attached"},
    {restarted, "restarted"},
    {connection_resets, "connection_resets"},
    {certificate_unchecked, "certificate_unchecked"},
    {sampler_costly, "sampler_costly"},
    {tool_dropped, "tool_dropped"},
    {streams_resumed, "streams_resumed"},
}};

}  // namespace

std::string_view to_string(DoubtKind kind) {
  for (const auto& [known, name] : kNames) {
    if (known == kind) return name;
  }
  return {};
}

bool from_string(std::string_view text, DoubtKind& kind) {
  for (const auto& [known, name] : kNames) {
    if (name != text) continue;
    kind = known;
    return true;
  }
  return false;
}

}  // namespace weighbridge::record
