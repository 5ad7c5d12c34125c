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
  WB_TRY(const auto session, asking.fresh(&era, HttpDialect::streamable));
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

/// One handshake, over one kind of HTTP (or stdio).
struct Handshake {
  Detected detected;
  Result<void> opened;
  bool refused_like_sse = false;
};

Result<Handshake> open_once(const Asking& asking, const protocol::Era* era, HttpDialect dialect,
                            Instant deadline) {
  WB_TRY(const auto session, asking.fresh(era, dialect));
  Handshake handshake;
  handshake.opened = session->open(deadline);
  handshake.detected = {.era = &session->era(),
                        .server = session->server(),
                        .evidence = fmt::format("initialize{}: {}",
                                                dialect == HttpDialect::sse ? " over HTTP+SSE" : "",
                                                session->era().name),
                        .dialect = dialect};
  handshake.refused_like_sse = session->refused_like_sse();
  session->close(std::min(asking.close_grace, std::max(deadline - os::now(), Duration(0))));
  return handshake;
}

/// Initialize, asking for `era` (nullptr: whatever the server offers). A server that refuses the
/// POST may be one of HTTP+SSE, which only a GET of the same URL can tell.
Result<Detected> shake_hands(const Asking& asking, const protocol::Era* era, Instant deadline,
                             const std::string& before) {
  WB_TRY(Handshake handshake, open_once(asking, era, HttpDialect::streamable, deadline));
  std::string told = before;
  if (!handshake.opened && handshake.refused_like_sse) {
    Error first = std::move(handshake.opened).error();
    told += fmt::format("{}{}", told.empty() ? "" : "; ", protocol::first_words(first.what, 160));
    WB_TRY(handshake, open_once(asking, era, HttpDialect::sse, deadline));
    if (!handshake.opened && handshake.opened.error().code != ErrorCode::interrupted) {
      const Error& second = handshake.opened.error();
      first.what += "; as HTTP+SSE, " + second.what;
      if (!second.remedy.empty()) first.remedy = second.remedy;
      handshake.opened = std::unexpected(std::move(first));
    }
  }
  if (!handshake.opened) {
    Error error = std::move(handshake.opened).error();
    if (!before.empty() && error.code != ErrorCode::interrupted)
      error.what =
          fmt::format("{}; before that, {}", error.what, protocol::first_words(before, 160));
    return std::unexpected(std::move(error));
  }
  Detected detected = std::move(handshake.detected);
  detected.evidence = told + (told.empty() ? "" : "; ") + detected.evidence;
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
