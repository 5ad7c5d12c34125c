#pragma once

#include <string>
#include <string_view>

namespace weighbridge::record {

/// Why a figure deserves less trust. Typed, so that reports and gates can act on it.
enum class DoubtKind {
  driver_limited,         ///< the driver was the bottleneck
  noisy_host,             ///< the weather probe lost time, or other processes were busy
  unsettled,              ///< memory did not settle before the ceiling
  missing_source,         ///< the kernel did not offer a source; a fallback was used
  tool_chosen,            ///< no tool was named; one was chosen
  no_tool,                ///< no tool could be chosen: tools/call is left out
  method_left_out,        ///< the server does not offer a method
  nothing_served,         ///< every call of a method was refused, failed or hung
  outcomes_mixed,         ///< some calls were refused, failed or hung
  too_few_samples,        ///< a percentile or slope is absent for want of samples
  cpu_incomplete,         ///< children's processor time was lost or is coarse
  orphans_ended,          ///< processes outlived the target and were ended
  target_died,            ///< the target ended by itself during a phase
  attached,               ///< attached target: start, build and orphans unseen
  restarted,              ///< a lost port or early exit was retried
  connection_resets,      ///< keep-alive resets were retried
  certificate_unchecked,  ///< https without a check of the server's certificate
  sampler_costly,         ///< the sampler used more than 0.3 % of a core
  tool_dropped,           ///< a tool must not be called: its annotations for headers are invalid
  streams_resumed,        ///< event streams ended before their answers and were read on
};
std::string_view to_string(DoubtKind kind);
/// False, and `kind` untouched, for a text that to_string does not give.
bool from_string(std::string_view text, DoubtKind& kind);

struct Doubt {
  DoubtKind kind{};
  std::string where;    ///< "http-dynamic, repeat 2, load"; empty: the whole run
  std::string message;  ///< what was seen, with its figure
  std::string advice;   ///< what to do about it
};

}  // namespace weighbridge::record
