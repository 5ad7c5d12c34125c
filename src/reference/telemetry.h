#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "os/poller.h"
#include "reference/stats.h"
#include "transport/http_client.h"
#include "transport/url.h"

namespace weighbridge::reference {

/// One request as a trace shows it.
struct RequestSpan {
  std::string method;
  std::string tool;  ///< empty unless a tool was called
  Ending ending = Ending::ok;
  Instant begin;
  Instant end;
  std::array<std::uint64_t, 3> ids = {};  ///< two halves of the trace's, the span's
};

/// What OTLP carries, as OTLP/JSON. Pure; `random` gives the ids, `epoch` turns monotonic instants
/// into Unix time.
class OtlpWriter {
 public:
  OtlpWriter(const std::string& service, Duration epoch, std::uint64_t seed);

  void give_ids(RequestSpan& span);
  [[nodiscard]] std::string traces(const std::vector<RequestSpan>& spans) const;
  /// A log record for every span, which it names.
  [[nodiscard]] std::string logs(const std::vector<RequestSpan>& spans) const;

  /// Counts one request into the metrics.
  void count(const RequestSpan& span);
  /// Requests and their summed duration by method and outcome, cumulative since `begin`.
  [[nodiscard]] std::string metrics(Instant begin, Instant now) const;

 private:
  struct Sum {
    std::uint64_t requests = 0;
    Duration duration{};
  };

  [[nodiscard]] std::string unix_nanoseconds(Instant at) const;

  std::string resource_;
  Duration epoch_;
  Random random_;
  std::map<std::pair<std::string, Ending>, Sum> sums_;
};

/// Collects spans and sends them, with metrics and a log record for each that did not end well, to
/// a collector over OTLP/HTTP JSON
/// (opentelemetry.io, OTLP 1.x), batched as the SDKs do. A collector that is down costs dropped
/// spans, which are counted, and nothing else.
class Telemetry {
 public:
  struct Settings {
    transport::Url collector;
    transport::Way way;
    std::string service;
    Duration trace_interval{};
    Duration metric_interval{};
    Duration log_interval{};
  };
  Telemetry(os::Poller& poller, Settings settings, Stats& stats);
  ~Telemetry();
  Telemetry(const Telemetry&) = delete;
  Telemetry& operator=(const Telemetry&) = delete;

  void record(RequestSpan span);
  /// Sends what there is, the last time.
  void flush();
  [[nodiscard]] bool idle() const { return exports_.empty(); }

 private:
  class Export;
  void send_spans();
  void send_metrics();
  void send_logs();
  void send(std::string_view path, const std::string& body, std::size_t spans);
  void schedule_spans();
  void schedule_metrics();
  void schedule_logs();

  os::Poller& poller_;
  Settings settings_;
  Stats& stats_;
  OtlpWriter writer_;
  std::vector<RequestSpan> spans_;
  std::vector<RequestSpan> failed_;  // what log records are about
  std::map<std::uint64_t, std::unique_ptr<Export>> exports_;
  transport::HttpClient client_;  // goes before the sinks that it knows
  std::uint64_t next_export_ = 1;
  os::Poller::TimerId span_timer_ = 0;
  os::Poller::TimerId metric_timer_ = 0;
  os::Poller::TimerId log_timer_ = 0;
};

}  // namespace weighbridge::reference
