#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client/session.h"
#include "protocol/detection.h"

namespace weighbridge::client::detail {

/// What asking a server needs to know about its channel.
struct Asking {
  bool stdio = false;
  std::string where;  ///< names the server in errors; may be empty
  /// A session of that era with a server that has not been asked anything yet (stdio: a fresh
  /// process). nullptr: a negotiating one.
  std::function<Result<std::unique_ptr<Session>>(const protocol::Era*, HttpDialect)> fresh;
  /// How long a question of discover may stay unanswered.
  Duration discover_patience{};
  /// How long a session may take to close behind a question.
  Duration close_grace{};
};

/// Discover, then what the ruling says; the one flow for both transports.
Result<Detected> detect(const Asking& asking, const protocol::Era* asked, Instant deadline);

}  // namespace weighbridge::client::detail
