#include "reference/telemetry.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "os/real_clock.h"
#include "protocol/server_json.h"

namespace weighbridge::reference {
namespace {

// The defaults of the OpenTelemetry SDKs' batch processors.
constexpr std::size_t kMostQueued = 2048;
constexpr std::size_t kBatch = 512;
constexpr std::size_t kMostExports = 4;
constexpr std::string_view kScope = R"("scope":{"name":"weighbridge.reference"})";

std::string attribute(std::string_view key, std::string_view value) {
  std::string text = fmt::format(R"({{"key":"{}","value":{{"stringValue":)", key);
  protocol::append_quoted(text, value);
  return text.append("}}");
}

std::string name_of(const RequestSpan& span) {
  return span.tool.empty() ? span.method : span.method + " " + span.tool;
}

std::string target_of(const transport::Url& url, std::string_view path) {
  std::string target = url.target;
  while (target.ends_with('/')) target.pop_back();
  return target.append(path);
}

/// Unix time minus monotonic time.
Duration unix_offset() {
  const auto unix_now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<Duration>(unix_now) - os::now().time_since_epoch();
}

}  // namespace

OtlpWriter::OtlpWriter(const std::string& service, Duration epoch, std::uint64_t seed)
    : resource_(
          fmt::format(R"("resource":{{"attributes":[{}]}})", attribute("service.name", service))),
      epoch_(epoch),
      random_(seed) {}

std::string OtlpWriter::unix_nanoseconds(Instant at) const {
  return fmt::format("\"{}\"", (at.time_since_epoch() + epoch_).count());
}

void OtlpWriter::give_ids(RequestSpan& span) {
  // All zeroes would be no id.
  span.ids = {random_.next(), random_.next() | 1U, random_.next() | 1U};
}

std::string OtlpWriter::logs(const std::vector<RequestSpan>& spans) const {
  std::string text =
      fmt::format(R"({{"resourceLogs":[{{{},"scopeLogs":[{{{},"logRecords":[)", resource_, kScope);
  for (const auto& span : spans) {
    if (&span != &spans.front()) text += ',';
    text += fmt::format(R"({{"timeUnixNano":{},"observedTimeUnixNano":{},"severityNumber":13,)"
                        R"("severityText":"WARN","traceId":"{:016x}{:016x}","spanId":"{:016x}",)"
                        R"("body":{{"stringValue":)",
                        unix_nanoseconds(span.end), unix_nanoseconds(span.end), span.ids[0],
                        span.ids[1], span.ids[2]);
    protocol::append_quoted(text,
                            fmt::format("{} ended: {}", name_of(span), to_string(span.ending)));
    text += fmt::format(R"(}},"attributes":[{},{}]}})", attribute("mcp.method.name", span.method),
                        attribute("outcome", to_string(span.ending)));
  }
  return text.append("]}]}]}");
}

std::string OtlpWriter::traces(const std::vector<RequestSpan>& spans) const {
  std::string text =
      fmt::format(R"({{"resourceSpans":[{{{},"scopeSpans":[{{{},"spans":[)", resource_, kScope);
  for (const auto& span : spans) {
    if (&span != &spans.front()) text += ',';
    text += fmt::format(R"({{"traceId":"{:016x}{:016x}","spanId":"{:016x}","name":)", span.ids[0],
                        span.ids[1], span.ids[2]);
    protocol::append_quoted(text, name_of(span));
    text += fmt::format(R"(,"kind":2,"startTimeUnixNano":{},"endTimeUnixNano":{},"attributes":[{})",
                        unix_nanoseconds(span.begin), unix_nanoseconds(span.end),
                        attribute("mcp.method.name", span.method));
    if (!span.tool.empty()) text += ',' + attribute("gen_ai.tool.name", span.tool);
    text += ',' + attribute("outcome", to_string(span.ending));
    text += fmt::format(R"(],"status":{{"code":{}}}}})", span.ending == Ending::ok ? 1 : 2);
  }
  return text.append("]}]}]}");
}

void OtlpWriter::count(const RequestSpan& span) {
  auto& sum = sums_[{span.method, span.ending}];
  ++sum.requests;
  sum.duration += span.end - span.begin;
}

std::string OtlpWriter::metrics(Instant begin, Instant now) const {
  std::string counts;
  std::string durations;
  for (const auto& [key, sum] : sums_) {
    const auto point =
        fmt::format(R"({}{{"attributes":[{},{}],"startTimeUnixNano":{},"timeUnixNano":{},)",
                    counts.empty() ? "" : ",", attribute("mcp.method.name", key.first),
                    attribute("outcome", to_string(key.second)), unix_nanoseconds(begin),
                    unix_nanoseconds(now));
    counts += fmt::format(R"({}"asInt":"{}"}})", point, sum.requests);
    durations += fmt::format(R"({}"asDouble":{:.9f}}})", point, to_seconds(sum.duration));
  }
  constexpr std::string_view kSum =
      R"("sum":{"aggregationTemporality":2,"isMonotonic":true,"dataPoints":[)";
  return fmt::format(R"({{"resourceMetrics":[{{{},"scopeMetrics":[{{{},"metrics":[)"
                     R"({{"name":"mcp.server.requests","unit":"{{request}}",{}{}]}}}},)"
                     R"({{"name":"mcp.server.request.duration","unit":"s",{}{}]}}}}]}}]}}]}})",
                     resource_, kScope, kSum, counts, kSum, durations);
}

/// One batch on its way to the collector.
class Telemetry::Export final : public transport::HttpSink {
 public:
  Export(Telemetry& owner, std::uint64_t number, std::size_t spans)
      : owner_(owner), number_(number), spans_(spans) {}

  void on_head(int status, const transport::Headers& /*headers*/) override { status_ = status; }
  void on_body(std::string_view /*piece*/, Instant /*at*/) override {}
  void on_complete(const transport::ExchangeTimes& /*times*/) override {
    end(status_ >= 200 && status_ < 300);
  }
  void on_failure(const Error& /*error*/) override { end(false); }

 private:
  void end(bool arrived) {
    auto& stats = owner_.stats_;
    (arrived ? stats.spans_exported : stats.spans_dropped) += spans_;
    if (!arrived) ++stats.exports_failed;
    const auto number = number_;
    owner_.exports_.erase(number);  // destroys this
  }

  Telemetry& owner_;
  std::uint64_t number_;
  std::size_t spans_;
  int status_ = 0;
};

Telemetry::Telemetry(os::Poller& poller, Settings settings, Stats& stats)
    : poller_(poller),
      settings_(std::move(settings)),
      stats_(stats),
      writer_(settings_.service, unix_offset(),
              static_cast<std::uint64_t>(os::now().time_since_epoch().count())),
      client_(poller, settings_.collector, 2, settings_.way) {
  schedule_spans();
  schedule_metrics();
  schedule_logs();
}

Telemetry::~Telemetry() {
  poller_.cancel(log_timer_);
  poller_.cancel(span_timer_);
  poller_.cancel(metric_timer_);
}

void Telemetry::schedule_spans() {
  span_timer_ = poller_.at(os::now() + settings_.trace_interval, [this] {
    send_spans();
    schedule_spans();
  });
}

void Telemetry::schedule_metrics() {
  metric_timer_ = poller_.at(os::now() + settings_.metric_interval, [this] {
    send_metrics();
    schedule_metrics();
  });
}

void Telemetry::schedule_logs() {
  log_timer_ = poller_.at(os::now() + settings_.log_interval, [this] {
    send_logs();
    schedule_logs();
  });
}

void Telemetry::record(RequestSpan span) {
  writer_.give_ids(span);
  writer_.count(span);
  if (spans_.size() >= kMostQueued) {
    ++stats_.spans_dropped;
    return;
  }
  if (span.ending != Ending::ok && failed_.size() < kMostQueued) failed_.push_back(span);
  spans_.push_back(std::move(span));
  if (spans_.size() >= kBatch) send_spans();
}

void Telemetry::send_spans() {
  if (spans_.empty() || exports_.size() >= kMostExports) return;
  const auto spans = std::exchange(spans_, {});
  send("/v1/traces", writer_.traces(spans), spans.size());
}

void Telemetry::send_metrics() {
  send("/v1/metrics", writer_.metrics(stats_.started(), os::now()), 0);
}

void Telemetry::send_logs() {
  if (failed_.empty() || exports_.size() >= kMostExports) return;
  send("/v1/logs", writer_.logs(std::exchange(failed_, {})), 0);
}

void Telemetry::flush() {
  send_spans();
  send_logs();
  send_metrics();
}

void Telemetry::send(std::string_view path, const std::string& body, std::size_t spans) {
  const auto number = next_export_++;
  auto& sink = exports_[number] = std::make_unique<Export>(*this, number, spans);
  client_.send(transport::render_request("POST", target_of(settings_.collector, path),
                                         settings_.collector.authority(),
                                         {{"Content-Type", "application/json"}}, body),
               *sink);
}

}  // namespace weighbridge::reference
