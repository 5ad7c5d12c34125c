#include "client/detail/detection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "client/detail/handshake.h"
#include "os/real_clock.h"
#include "protocol/json_text.h"

namespace weighbridge::client::detail {
namespace {

using protocol::EraRuling;
using Verdict = EraRuling::Verdict;

/// An answer to discover: what it says, and how it is told to a person.
struct Discovery {
  EraRuling ruling;
  Reply reply;
};

/// Why nothing came, in words; empty when something did.
std::string trouble_of(const Reply& reply, Duration patience, const Session& session) {
  if (reply.error && reply.http_status == 0) return reply.error->what;
  if (!reply.hung) return {};
  std::string silence = fmt::format("silence for {:.1f} s", to_seconds(patience));
  if (const std::string garbage = session.first_garbage(); !garbage.empty())
    silence += "; its stdout carries something else: " + protocol::quote(garbage);
  return silence;
}

Result<Discovery> discover(const Asking& asking, const protocol::Era& era, Instant deadline) {
  WB_TRY(const auto session, asking.fresh(&era));
  const Instant begun = os::now();
  const Instant patience = std::min(deadline, begun + asking.discover_patience);
  Discovery discovery;
  discovery.reply = session->call({"server/discover", "{}", {}}, patience);
  const Reply& reply = discovery.reply;
  if (reply.error && reply.error->code == ErrorCode::interrupted)
    return std::unexpected(*reply.error);
  const std::string trouble = trouble_of(reply, patience - begun, *session);
  discovery.ruling = protocol::rule_on_discover({.stdio = asking.stdio,
                                                 .http_status = reply.http_status,
                                                 .message = reply.message,
                                                 .trouble = trouble});
  session->close(std::min(asking.close_grace, std::max(deadline - os::now(), Duration(0))));
  return discovery;
}

/// Initialize, asking for `era` (nullptr: whatever the server offers).
Result<Detected> shake_hands(const Asking& asking, const protocol::Era* era, Instant deadline,
                             const std::string& before) {
  WB_TRY(const auto session, asking.fresh(era));
  auto opened = session->open(deadline);
  Detected detected{.era = &session->era(), .server = session->server(), .evidence = {}};
  session->close(std::min(asking.close_grace, std::max(deadline - os::now(), Duration(0))));
  if (!opened) {
    Error error = std::move(opened).error();
    if (!before.empty() && error.code != ErrorCode::interrupted)
      error.what =
          fmt::format("{}; before that, {}", error.what, protocol::first_words(before, 160));
    return std::unexpected(std::move(error));
  }
  detected.evidence =
      fmt::format("{}{}initialize: {}", before, before.empty() ? "" : "; ", detected.era->name);
  return detected;
}

Error refused(const Asking& asking, const Discovery& discovery) {
  const EraRuling& ruling = discovery.ruling;
  if (ruling.verdict == Verdict::no_evidence)
    return explain_reply(discovery.reply, "server/discover", asking.where);
  if (ruling.verdict == Verdict::nothing_in_common) {
    std::vector<std::string_view> known;
    for (const protocol::Era& era : protocol::eras()) known.push_back(era.name);
    return {ErrorCode::target, "the server offers no known revision of MCP: " + ruling.what,
            asking.where, fmt::format("This version speaks {}", fmt::join(known, ", ")), 0};
  }
  return {ErrorCode::target,
          fmt::format("the server speaks {} but refuses to be discovered: {}", ruling.era->name,
                      ruling.what),
          asking.where,
          "If a proxy stands before it, check that it passes the Mcp-* headers on unchanged", 0};
}

/// The one revision that the plan names was not found; says what was.
Error downgraded(const Asking& asking, const protocol::Era& asked, const std::string& what) {
  return {ErrorCode::target, fmt::format("asked for {}, but {}", asked.name, what), asking.where,
          "Ask for a revision the server speaks, or let it be detected", 0};
}

}  // namespace

Result<Detected> detect(const Asking& asking, const protocol::Era* asked, Instant deadline) {
  if (asked != nullptr && asked->handshake) return shake_hands(asking, asked, deadline, {});

  const protocol::Era& first = asked != nullptr ? *asked : protocol::newest_era();
  WB_TRY(Discovery discovery, discover(asking, first, deadline));
  if (discovery.ruling.verdict == Verdict::ask_again &&
      (asked == nullptr || discovery.ruling.era == asked)) {
    WB_TRY(discovery, discover(asking, *discovery.ruling.era, deadline));
  }
  const EraRuling& ruling = discovery.ruling;
  const std::string evidence = "server/discover: " + ruling.what;
  switch (ruling.verdict) {
    case Verdict::use:
      if (asked != nullptr && ruling.era != asked)
        return std::unexpected(downgraded(asking, *asked, evidence));
      return Detected{
          .era = ruling.era, .server = identity_of(ruling.server), .evidence = evidence};
    case Verdict::ask_again:  // a second time: it names a revision and refuses it
      return std::unexpected(downgraded(asking, first, evidence));
    case Verdict::handshake:
      if (asked != nullptr) return std::unexpected(downgraded(asking, *asked, evidence));
      return shake_hands(asking, ruling.era, deadline, evidence);
    case Verdict::request_refused:
    case Verdict::nothing_in_common:
    case Verdict::no_evidence:
      break;
  }
  return std::unexpected(refused(asking, discovery));
}

}  // namespace weighbridge::client::detail
