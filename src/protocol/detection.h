#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/era.h"
#include "protocol/identity.h"

namespace weighbridge::protocol {

/// What came of asking `server/discover` in the form of a stateless era.
struct DiscoverEvidence {
  bool stdio = false;
  int http_status = 0;       ///< 0 on stdio
  std::string_view message;  ///< the answer, or whatever body came instead
  std::string_view
      trouble;  ///< why nothing came (silence, connection lost, process ended); else empty
};

/// What the evidence says about the era (2026-07-28: stdio, streamable HTTP, versioning).
struct EraRuling {
  enum class Verdict {
    use,                ///< `era` is spoken, `server` says by whom
    ask_again,          ///< stateless, but not that revision: discover again as `era`
    handshake,          ///< initialize; on stdio in a fresh process
    request_refused,    ///< stateless, and it finds fault with the request itself
    nothing_in_common,  ///< it names its revisions and none is in the table
    no_evidence,        ///< says nothing about the era: to be reported
  };
  Verdict verdict = Verdict::no_evidence;
  const Era* era = nullptr;
  Introduction server;
  std::string what;  ///< one line: what came back
};

/// The three errors that only a server of a stateless era answers with (2026-07-28, basic).
bool is_stateless_error(std::int64_t code);

/// Pure. Never keyed on one error code: a legacy server may answer anything at all.
EraRuling rule_on_discover(const DiscoverEvidence& evidence);

}  // namespace weighbridge::protocol
