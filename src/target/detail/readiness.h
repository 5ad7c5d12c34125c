#pragma once

#include <functional>
#include <string>

#include "client/session.h"
#include "os/poller.h"

namespace weighbridge::target::detail {

/// What "ready" is asked by: a path that answers 2xx; else, with a known era, the first good
/// discover or handshake; else a port that accepts.
struct ReadinessQuestion {
  std::string path;
  const protocol::Era* era = nullptr;
  client::HttpAccess access;
  client::HttpDialect dialect = client::HttpDialect::streamable;
};

/// The instant of the first good answer. Asks again after a millisecond while nobody listens (a
/// refused connection costs the target nothing), after 20 ms once somebody answers but is not
/// ready. ErrorCode::closed as soon as `gone()`; ErrorCode::interrupted; ErrorCode::target with the
/// last answer at the deadline.
Result<Instant> wait_until_ready(os::Poller& poller, const ReadinessQuestion& question,
                                 const std::function<bool()>& gone, Instant deadline);

}  // namespace weighbridge::target::detail
