#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "client/session.h"
#include "os/poller.h"
#include "os/supervisor.h"
#include "plan/plan.h"
#include "target/environment.h"

namespace weighbridge::target {

/// One configuration of the target, ready to be started: which variant, with what added, seen by
/// how many.
struct Configuration {
  const plan::Plan* plan = nullptr;
  const plan::Variant* variant = nullptr;
  std::vector<std::string> mode_args;  ///< of the mode's own table, and of telemetry
  plan::Environment mode_env;
  std::string upstream_url;  ///< {upstream}; empty: no such stand-in
  std::string otlp_url;      ///< {otlp}; empty: no such stand-in
  int max_credentials = 1;   ///< {max_credentials}
  std::vector<int> cpus;     ///< cores its processes may use; empty: as the driver found them
  const protocol::Era* era =
      nullptr;  ///< known from a scout; nullptr: ready is when the port accepts
  client::HttpDialect dialect = client::HttpDialect::streamable;  ///< likewise
};

/// How a started process shows itself.
struct Started {
  std::optional<Instant> before_spawn;  ///< absent when attached
  std::optional<Instant> ready;         ///< HTTP: first good readiness answer
  int attempts = 1;                     ///< more than one: a port was lost on the way
};

/// One caller, attached.
struct Attached {
  std::unique_ptr<client::Session> session;
  std::optional<os::SpawnedChild> child;     ///< stdio: the process started for this caller
  Duration open{};                           ///< connect and handshake
  std::optional<client::HttpAccess> access;  ///< HTTP: how this caller reaches the server
};

/// How the target ended.
struct Stopped {
  std::vector<os::Survivor>
      ended;  ///< processes that outlived their parents or ignored the request
  std::vector<std::string>
      died;  ///< processes that had ended by themselves before stop() was called
};

/// The target as its callers meet it: on stdio a process per caller, on HTTP one for all, or one
/// that runs already. Owns what it started; the destructor stops it. One thread, the poller's.
class Deployment {
 public:
  virtual ~Deployment() = default;
  /// HTTP: spawn and wait until ready. stdio and attached: nothing to do. ErrorCode::target with
  /// the last lines the target wrote when it cannot be started or never becomes ready.
  virtual Result<Started> start() = 0;
  /// Caller number `client` (0-based): process or session, opened.
  virtual Result<Attached> attach(int client, const client::SessionOptions& options) = 0;
  /// A channel to a fresh process, or access for one caller: what detection needs.
  virtual Result<client::Detected> detect(const protocol::Era* asked,
                                          const client::SessionOptions& options) = 0;
  /// Sessions must have been closed (or dropped) before. Ends every process, however it resists.
  virtual Stopped stop() = 0;
  /// Names of processes that have ended although nobody asked them to.
  [[nodiscard]] virtual std::vector<std::string> died() const = 0;
  /// The last lines on the target's stderr (and stdout, on HTTP), for messages.
  [[nodiscard]] virtual std::string last_words() const = 0;
  /// The command as it will be started, unredacted; empty when attached.
  [[nodiscard]] virtual std::vector<std::string> command() const = 0;
  /// "socketpair", "pipe" or "tcp".
  [[nodiscard]] virtual std::string channel() const = 0;
  /// Names of environment variables inherited and stripped.
  [[nodiscard]] virtual const TargetEnvironment& environment() const = 0;
};

Result<std::unique_ptr<Deployment>> deploy_stdio(os::Supervisor& supervisor, os::Poller& poller,
                                                 const Configuration& configuration);
Result<std::unique_ptr<Deployment>> deploy_http(os::Supervisor& supervisor, os::Poller& poller,
                                                const Configuration& configuration);

}  // namespace weighbridge::target
