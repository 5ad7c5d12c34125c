#pragma once

#include <functional>
#include <span>
#include <vector>

#include "client/session.h"
#include "load/outcome.h"
#include "os/poller.h"
#include "protocol/outcome.h"

namespace weighbridge::load {

/// Rounds behind a barrier: every session fires `parallel` calls at once, and the next round begins
/// when the last of them has ended. All calls of a round are due at the barrier's release, so what
/// the driver takes to send them is part of their latency and shows as lateness.
struct RoundsSpec {
  client::Call call;
  protocol::Expectation expect;
  std::vector<protocol::RefusalRule> refusals;
  int rounds = 3;
  int parallel = 4;
  Duration call_timeout = 60s;
};

/// Runs on the poller's thread until all rounds are done, or `stopped()` is true at the end of a
/// round or after a call ended. `on_call` is told of every completion.
Outcome run_rounds(os::Poller& poller, std::span<client::Session* const> sessions,
                   const RoundsSpec& spec, const std::function<bool()>& stopped,
                   const std::function<void()>& on_call);

}  // namespace weighbridge::load
