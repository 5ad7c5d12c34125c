#include "standin/collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "standin/detail/loop_thread.h"
#include "standin/detail/otlp_items.h"
#include "transport/http_server.h"

namespace weighbridge::standin {
namespace {

/// By the end of the path: an exporter may be told to put a prefix before it.
std::string signal_of(std::string_view path) {
  static constexpr std::array<std::string_view, 3> kSignals{"traces", "metrics", "logs"};
  for (const std::string_view signal : kSignals) {
    if (path.ends_with(fmt::format("/v1/{}", signal))) return std::string(signal);
  }
  return "other";
}

detail::OtlpForm form_of(const transport::HttpRequest& request) {
  const auto type = transport::find_header(request.headers, "content-type");
  return type && type->starts_with("application/json") ? detail::OtlpForm::json
                                                       : detail::OtlpForm::protobuf;
}

/// OTLP/HTTP 1.x: success is 200 with the signal's response message, which is empty when nothing
/// was rejected: no bytes in protobuf, {} in JSON.
void accept(const transport::HttpRequest& request, transport::HttpReply& reply) {
  if (form_of(request) == detail::OtlpForm::json) {
    reply.send(200, {{"Content-Type", "application/json"}}, std::string("{}"));
  } else {
    reply.send(200, {{"Content-Type", "application/x-protobuf"}}, {});
  }
}

}  // namespace

class Collector::State {
 public:
  explicit State(std::unique_ptr<detail::LoopThread> loop) : loop_(std::move(loop)) {}
  ~State() { loop_->stop(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Result<void> listen();
  [[nodiscard]] std::map<std::string, SignalCounts> counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }
  void reset() {
    const std::lock_guard lock(mutex_);
    counts_.clear();
  }
  [[nodiscard]] std::uint16_t port() const { return server_->port(); }
  [[nodiscard]] Duration cpu() const { return loop_->cpu(); }

 private:
  void serve(const transport::HttpRequest& request, transport::HttpReply& reply);

  mutable std::mutex mutex_;
  std::map<std::string, SignalCounts> counts_;
  std::unique_ptr<detail::LoopThread> loop_;
  std::unique_ptr<transport::HttpServer> server_;
};

Result<void> Collector::State::listen() {
  transport::HttpServer::Options options;
  options.max_body_bytes = 64ULL * 1024 * 1024;
  WB_TRY(server_,
         transport::HttpServer::listen(loop_->poller(), options,
                                       [this](transport::HttpRequest&& request,
                                              const std::shared_ptr<transport::HttpReply>& reply) {
                                         serve(request, *reply);
                                       }));
  loop_->start("wb-collector");
  return {};
}

void Collector::State::serve(const transport::HttpRequest& request, transport::HttpReply& reply) {
  if (request.method != "POST") return reply.send(405, {{"Allow", "POST"}}, {});
  {
    const auto signal = signal_of(request.path());
    const auto items = detail::count_otlp_items(signal, form_of(request), request.body);
    const std::lock_guard lock(mutex_);
    SignalCounts& counts = counts_[signal];
    counts.items += items.value_or(0);
    if (!items) ++counts.unread;
    ++counts.requests;
    counts.bytes += request.body.size();
  }
  accept(request, reply);
}

Result<std::unique_ptr<Collector>> Collector::start() {
  WB_TRY(auto loop, detail::LoopThread::create());
  auto state = std::make_unique<State>(std::move(loop));
  WB_CHECK(state->listen());
  return std::unique_ptr<Collector>(new Collector(std::move(state)));
}

Collector::Collector(std::unique_ptr<State> state) : state_(std::move(state)) {}
Collector::~Collector() = default;

std::string Collector::url() const {
  return fmt::format("http://127.0.0.1:{}", state_->port());
}
std::map<std::string, SignalCounts> Collector::counts() const {
  return state_->counts();
}
void Collector::reset_counters() {
  state_->reset();
}
Duration Collector::cpu() const {
  return state_->cpu();
}

}  // namespace weighbridge::standin
