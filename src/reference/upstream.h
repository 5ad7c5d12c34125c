#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "os/poller.h"
#include "reference/credential.h"
#include "reference/stats.h"
#include "reference/tool_result.h"
#include "reference/upstream_request.h"
#include "transport/http_client.h"
#include "transport/url.h"

namespace weighbridge::reference {

/// GitLab, asked asynchronously over a bounded pool of keep-alive connections.
class Upstream {
 public:
  struct Limits {
    Duration timeout{};
    std::size_t connections = 0;
  };

  Upstream(os::Poller& poller, transport::Url url, transport::Way way, Limits limits, Stats& stats);
  ~Upstream();
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;

  using CallId = std::uint64_t;
  using OnAnswer = std::function<void(Result<UpstreamAnswer>)>;
  /// `on_answer` comes exactly once, later, unless the call is cancelled. ErrorCode::timeout when
  /// GitLab took too long; system, closed or malformed for what went wrong on the way.
  CallId call(const UpstreamRequest& request, const Credential& credential, OnAnswer on_answer);
  void cancel(CallId call);
  [[nodiscard]] std::size_t in_flight() const { return exchanges_.size(); }

  /// The instance's address, as given.
  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] std::uint64_t connections_opened() const { return client_.connections_opened(); }

 private:
  class Exchange;
  void finish(CallId call, Result<UpstreamAnswer> answer);

  os::Poller& poller_;
  std::string url_;
  std::string root_;    // path of the instance itself
  std::string prefix_;  // path before /projects: /api/v4 behind the instance's own
  Limits limits_;
  Stats& stats_;
  CallId next_ = 1;
  std::unordered_map<CallId, std::unique_ptr<Exchange>> exchanges_;
  transport::HttpClient client_;  // goes before the sinks that it knows
};

}  // namespace weighbridge::reference
