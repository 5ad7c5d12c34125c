#pragma once

#include <string>

#include "client/session.h"

namespace weighbridge::conformance {

/// What the conformance suite says when it starts a client.
struct Scenario {
  std::string name;
  std::string revision;  ///< empty: the suite's older line, which knows handshake eras only
  std::string context;   ///< JSON; empty where the scenario needs none
  std::string url;
};

/// Does what the scenario wants to see, with Weighbridge's own client. A scenario without needs of
/// its own: lists everything and uses each item once. Blocking; ErrorCode::target when the server
/// does not let it.
Result<void> run(const Scenario& scenario);

}  // namespace weighbridge::conformance
