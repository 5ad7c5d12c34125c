#include "client/detail/detection.h"
#include "client/detail/handshake.h"
#include "client/detail/http_session.h"
#include "client/detail/sse_session.h"
#include "client/detail/stdio_session.h"
#include "client/session.h"
#include "os/real_clock.h"

namespace weighbridge::client {
namespace {

using detail::Asking;

/// A legacy server over stdio may simply say nothing, and then every start waits as long as this.
constexpr Duration kStdioPatience = 5s;
/// A process that has answered the question is of no more use; whoever started it ends it.
constexpr Duration kStdioGrace = 500ms;
constexpr Duration kHttpGrace = 2s;

SessionOptions with(SessionOptions options, const protocol::Era* era, HttpDialect dialect) {
  options.era = era;
  options.dialect = dialect;
  return options;
}

}  // namespace

std::unique_ptr<Session> Session::over_http(os::Poller& poller, HttpAccess access,
                                            SessionOptions options) {
  if (options.dialect == HttpDialect::sse)
    return std::make_unique<detail::SseSession>(poller, std::move(access), options);
  return std::make_unique<detail::HttpSession>(poller, std::move(access), options);
}

std::unique_ptr<Session> Session::over_stdio(os::Poller& poller,
                                             std::unique_ptr<transport::StdioChannel> channel,
                                             SessionOptions options) {
  return std::make_unique<detail::StdioSession>(poller, std::move(channel), options);
}

Result<Detected> detect_over_http(os::Poller& poller, const HttpAccess& access,
                                  const protocol::Era* asked, const SessionOptions& options,
                                  Instant deadline) {
  Asking asking;
  asking.where = detail::name_of(access.url);
  asking.fresh = [&](const protocol::Era* era,
                     HttpDialect dialect) -> Result<std::unique_ptr<Session>> {
    return Session::over_http(poller, access, with(options, era, dialect));
  };
  asking.discover_patience = deadline - os::now();  // silence over HTTP is no evidence
  asking.close_grace = kHttpGrace;
  return detail::detect(asking, asked, deadline);
}

Result<Detected> detect_over_stdio(
    os::Poller& poller,
    const std::function<Result<std::unique_ptr<transport::StdioChannel>>()>& fresh,
    const protocol::Era* asked, const SessionOptions& options, Instant deadline) {
  Asking asking;
  asking.stdio = true;
  asking.fresh = [&](const protocol::Era* era,
                     HttpDialect dialect) -> Result<std::unique_ptr<Session>> {
    WB_TRY(auto channel, fresh());
    return Session::over_stdio(poller, std::move(channel), with(options, era, dialect));
  };
  asking.discover_patience = kStdioPatience;
  asking.close_grace = kStdioGrace;
  return detail::detect(asking, asked, deadline);
}

}  // namespace weighbridge::client
