#include "standin/upstream.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "os/poller.h"
#include "os/real_clock.h"
#include "standin/detail/loop_thread.h"
#include "standin/detail/recorder.h"
#include "transport/http_server.h"

namespace weighbridge::standin {
namespace {

using transport::HttpReply;
using transport::HttpRequest;

/// The counters, shared by the stand-in's thread and whoever reads them.
class Ledger {
 public:
  void arrived(std::string_view path) {
    const std::lock_guard lock(mutex_);
    ++counters_.requests;
    ++counters_.by_path[std::string(path)];
    counters_.peak_in_flight = std::max(counters_.peak_in_flight, ++counters_.in_flight);
  }
  void answered() {
    const std::lock_guard lock(mutex_);
    --counters_.in_flight;
  }
  void held(int change) {
    const std::lock_guard lock(mutex_);
    counters_.held += static_cast<std::uint64_t>(change);
  }
  void record(RecordedRequest request) {
    const std::lock_guard lock(mutex_);
    recorded_.push_back(std::move(request));
  }
  [[nodiscard]] UpstreamCounters counters() const {
    const std::lock_guard lock(mutex_);
    return counters_;
  }
  void reset() {
    const std::lock_guard lock(mutex_);
    counters_ = {.requests = 0,
                 .by_path = {},
                 .in_flight = counters_.in_flight,
                 .peak_in_flight = counters_.in_flight,
                 .held = counters_.held};
  }
  std::vector<RecordedRequest> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(recorded_, {});
  }

 private:
  mutable std::mutex mutex_;
  UpstreamCounters counters_;
  std::vector<RecordedRequest> recorded_;
};

/// A request in flight, for as long as somebody means to answer it.
class Ticket {
 public:
  Ticket(Ledger& ledger, std::string_view path) : ledger_(ledger) { ledger_.arrived(path); }
  ~Ticket() { ledger_.answered(); }
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;

 private:
  Ledger& ledger_;
};

struct Answer {
  int status = 200;
  transport::Headers headers;
  std::shared_ptr<const std::string> body;
  Duration delay{};
};

Answer message(int status, std::string_view text) {
  return {.status = status,
          .headers = {{"Content-Type", "application/json"}},
          .body = std::make_shared<const std::string>(nlohmann::json{{"message", text}}.dump(
              -1, ' ', false, nlohmann::json::error_handler_t::replace))};
}

}  // namespace

class Upstream::State {
 public:
  State(UpstreamOptions options, std::unique_ptr<detail::LoopThread> loop)
      : routes_(std::move(options.routes)),
        refused_token_prefix_(std::move(options.refused_token_prefix)),
        record_requests_(options.record_requests),
        delay_(options.delay),
        loop_(std::move(loop)) {}
  ~State() { loop_->stop(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Result<void> listen();
  void set_delay(Duration delay) { delay_ = delay; }
  void hold(bool on);

  [[nodiscard]] std::uint16_t port() const { return server_->port(); }
  [[nodiscard]] Duration cpu() const { return loop_->cpu(); }
  Ledger ledger;

 private:
  struct Held {
    std::shared_ptr<HttpReply> reply;
    std::shared_ptr<const std::string> body;
    std::shared_ptr<Ticket> ticket;
  };

  void serve(HttpRequest&& request, std::shared_ptr<HttpReply> reply);
  [[nodiscard]] Answer answer(const HttpRequest& request) const;
  void answer_later(const std::shared_ptr<HttpReply>& reply, Answer answer,
                    std::shared_ptr<Ticket> ticket);
  void keep_back(const std::shared_ptr<HttpReply>& reply, Answer answer,
                 std::shared_ptr<Ticket> ticket);
  void release();

  RouteTable routes_;
  std::string refused_token_prefix_;
  bool record_requests_;
  std::atomic<Duration> delay_;
  std::atomic<bool> holding_ = false;

  // Before what holds tickets and replies, so destroyed after it.
  std::unique_ptr<detail::LoopThread> loop_;
  std::unordered_map<std::uint64_t, Held> held_;
  std::uint64_t last_held_ = 0;
  std::unique_ptr<transport::HttpServer> server_;
};

Result<void> Upstream::State::listen() {
  transport::HttpServer::Options options;
  options.max_body_bytes = 64ULL * 1024 * 1024;
  WB_TRY(server_, transport::HttpServer::listen(
                      loop_->poller(), options,
                      [this](HttpRequest&& request, std::shared_ptr<HttpReply> reply) {
                        serve(std::move(request), std::move(reply));
                      }));
  loop_->start("wb-upstream");
  return {};
}

void Upstream::State::serve(HttpRequest&& request, std::shared_ptr<HttpReply> reply) {
  auto ticket = std::make_shared<Ticket>(ledger, request.path());
  if (record_requests_) ledger.record(detail::record_request(request));
  Answer answered = answer(request);
  if (holding_) return keep_back(reply, std::move(answered), std::move(ticket));
  if (answered.delay > Duration{})
    return answer_later(reply, std::move(answered), std::move(ticket));
  ticket.reset();  // first, so that whoever has the answer sees it counted
  reply->send(answered.status, answered.headers, transport::Body().add(std::move(answered.body)));
}

Answer Upstream::State::answer(const HttpRequest& request) const {
  const std::string_view token = detail::token_of(request.headers);
  const RouteTable::Entry* const entry = routes_.find(request.method, request.path());
  Answer answer;
  if (!refused_token_prefix_.empty() && token.starts_with(refused_token_prefix_)) {
    answer = message(401, "401 Unauthorized");
  } else if (entry == nullptr) {
    answer = message(404, fmt::format("404 Not Found: {} {}", request.method, request.path()));
  } else {
    answer = {.status = entry->route.status,
              .headers = entry->route.headers,
              .body = entry->body,
              .delay = entry->route.delay};
    if (!transport::find_header(answer.headers, "content-type"))
      answer.headers.push_back({"Content-Type", "application/json"});
  }
  answer.delay += delay_.load();
  return answer;
}

void Upstream::State::answer_later(const std::shared_ptr<HttpReply>& reply, Answer answer,
                                   std::shared_ptr<Ticket> ticket) {
  os::Poller& poller = loop_->poller();
  const Instant due = os::now() + answer.delay;
  const auto timer =
      poller.at(due, [reply, answer = std::move(answer), ticket = std::move(ticket)]() mutable {
        ticket.reset();
        reply->send(answer.status, answer.headers, transport::Body().add(std::move(answer.body)));
      });
  reply->on_peer_gone([&poller, timer] { poller.cancel(timer); });
}

void Upstream::State::keep_back(const std::shared_ptr<HttpReply>& reply, Answer answer,
                                std::shared_ptr<Ticket> ticket) {
  const std::uint64_t id = ++last_held_;
  reply->begin(answer.status, answer.headers);
  held_.emplace(id, Held{reply, std::move(answer.body), std::move(ticket)});
  ledger.held(+1);
  reply->on_peer_gone([this, id] {
    if (held_.erase(id) > 0) ledger.held(-1);
  });
}

void Upstream::State::hold(bool on) {
  holding_ = on;
  if (!on) loop_->poller().post([this] { release(); });
}

void Upstream::State::release() {
  for (auto& [id, held] : std::exchange(held_, {})) {
    ledger.held(-1);
    held.ticket.reset();
    held.reply->write(transport::Body().add(std::move(held.body)));
    held.reply->end();
  }
}

Result<std::unique_ptr<Upstream>> Upstream::start(UpstreamOptions options) {
  WB_TRY(auto loop, detail::LoopThread::create());
  auto state = std::make_unique<State>(std::move(options), std::move(loop));
  WB_CHECK(state->listen());
  return std::unique_ptr<Upstream>(new Upstream(std::move(state)));
}

Upstream::Upstream(std::unique_ptr<State> state) : state_(std::move(state)) {}
Upstream::~Upstream() = default;

std::string Upstream::url() const {
  return fmt::format("http://127.0.0.1:{}", state_->port());
}
void Upstream::set_delay(Duration delay) {
  state_->set_delay(delay);
}
void Upstream::hold(bool on) {
  state_->hold(on);
}
UpstreamCounters Upstream::counters() const {
  return state_->ledger.counters();
}
void Upstream::reset_counters() {
  state_->ledger.reset();
}
std::vector<RecordedRequest> Upstream::take_requests() {
  return state_->ledger.take();
}
Duration Upstream::cpu() const {
  return state_->cpu();
}

}  // namespace weighbridge::standin
