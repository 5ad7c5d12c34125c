#include "load/engine.h"

#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <numeric>
#include <thread>

#include "load/detail/worker.h"
#include "os/affinity.h"
#include "os/limits.h"
#include "os/network.h"
#include "os/real_clock.h"

namespace weighbridge::load {
namespace {

using detail::PhasePlan;
using detail::Worker;

constexpr Duration kWatchInterval = 100ms;
/// Threads need a moment to be there; their first calls are due when they are.
constexpr Duration kHeadStart = 2ms;
/// What the driver has open beside its connections: logs, pipes to the supervisor, /proc files.
constexpr std::size_t kOtherDescriptors = 64;

/// The address that answers: "localhost" is two, and a server may listen on either alone.
Result<os::Address> reachable(const transport::Url& url) {
  WB_TRY(const auto addresses, os::resolve_tcp(url.host, url.port));
  for (std::size_t i = 0; i + 1 < addresses.size(); ++i) {
    auto socket = os::connect_tcp(addresses[i]);
    if (!socket) continue;
    WB_TRY(const os::Epoll epoll, os::Epoll::create());
    WB_CHECK(epoll.add(socket->get(), EPOLLOUT, nullptr));
    std::array<epoll_event, 1> event{};
    if (epoll.wait(event, 1s) == 1 && os::socket_error(socket->get()) == 0) return addresses[i];
  }
  return addresses.back();
}

Result<PhasePlan> plan_of(const Spec& spec, const protocol::Era& era,
                          const EngineOptions& options) {
  PhasePlan plan;
  plan.spec = &spec;
  plan.client = options.client;
  double total = 0;
  for (const Operation& operation : spec.operations) {
    plan.checks.push_back(std::make_unique<ReplyCheck>(operation, era, spec.refusals));
    auto& bodies = plan.bodies.emplace_back();
    for (const std::string& params : operation.params) {
      auto body = detail::RequestBody::make(operation.method, params, era, options.client);
      if (!body) {
        Error error = std::move(body).error();
        error.code = ErrorCode::plan;
        return std::unexpected(error.within(operation.method));
      }
      bodies.push_back(std::move(*body));
    }
    total += operation.weight;
    plan.cumulative_weights.push_back(total);
  }
  return plan;
}

}  // namespace

Result<void> make_room(std::size_t callers, std::size_t parallel, bool over_http) {
  const std::size_t connections = callers * parallel;
  // On stdio two ends for each child, and its stderr.
  const std::size_t needed = kOtherDescriptors + (over_http ? connections : 3 * callers);
  if (!os::raise_descriptor_limit(needed))
    return fail(ErrorCode::usage,
                fmt::format("{} need {} open descriptors; the limit is {}",
                            over_http ? fmt::format("{} connections", connections)
                                      : fmt::format("{} processes", callers),
                            needed, os::descriptor_limit().hard),
                {}, fmt::format("Raise it (ulimit -n {}), or ask for fewer", needed));
  if (over_http && connections > os::local_port_count())
    return fail(ErrorCode::usage,
                fmt::format("{} connections to one address need as many local ports; this machine "
                            "offers {}",
                            connections, os::local_port_count()),
                {}, "Widen net.ipv4.ip_local_port_range, or ask for fewer");
  return {};
}

class Engine::State {
 public:
  explicit State(const EngineOptions& options) : options_(options) {}

  Result<void> open(std::vector<Caller> callers);
  Result<PhaseOutcome> run(const Spec& spec, os::Poller& poller, const Watch& watch);
  void close() {
    for (const auto& worker : workers_) worker->close();
  }

  [[nodiscard]] Duration connecting() const { return connecting_; }
  [[nodiscard]] std::size_t slots() const {
    return std::accumulate(
        workers_.begin(), workers_.end(), std::size_t{0},
        [](std::size_t sum, const auto& worker) { return sum + worker->slots(); });
  }

 private:
  Result<void> connect(const std::string& where);

  EngineOptions options_;
  os::Address address_;
  std::vector<std::unique_ptr<Worker>> workers_;
  const protocol::Era* era_ = nullptr;
  std::size_t callers_ = 0;
  Duration connecting_{};
  std::uint64_t calls_before_ = 0;
};

Result<void> Engine::State::open(std::vector<Caller> callers) {
  if (callers.empty()) return fail(ErrorCode::usage, "a load needs at least one caller");
  callers_ = callers.size();
  era_ = callers.front().era;
  std::string where;
  if (const auto& http = callers.front().http) {
    where = http->url.authority();
    WB_TRY(address_, reachable(http->url));
  }
  // A thread without a caller would have nothing to do.
  options_.threads = std::min(std::max<std::size_t>(options_.threads, 1), callers_);
  for (std::size_t i = 0; i < options_.threads; ++i) {
    WB_TRY(auto worker, Worker::create(static_cast<std::uint32_t>(i)));
    workers_.push_back(std::move(worker));
  }
  for (std::size_t i = 0; i < callers_; ++i) {
    Worker& worker = *workers_[i % workers_.size()];
    if (callers[i].http) {
      worker.add_http(std::move(callers[i]), address_, options_.parallel);
    } else {
      WB_CHECK(worker.add_stdio(std::move(callers[i]), options_.parallel));
    }
  }
  return connect(where);
}

Result<void> Engine::State::connect(const std::string& where) {
  const Instant begun = os::now();
  for (const auto& worker : workers_) {
    const Worker::Connected result = worker->connect(begun + options_.connect_timeout);
    if (result.refused == 0) continue;
    return fail(ErrorCode::target,
                fmt::format("{} of {} connections could not be opened: {}", result.refused,
                            callers_ * options_.parallel, std::strerror(result.error)),
                where,
                "Look for the server's limit on connections or descriptors, or ask for fewer");
  }
  connecting_ = os::now() - begun;
  return {};
}

Result<PhaseOutcome> Engine::State::run(const Spec& spec, os::Poller& poller, const Watch& watch) {
  WB_TRY(PhasePlan plan, plan_of(spec, *era_, options_));
  plan.workers = static_cast<std::uint32_t>(workers_.size());
  plan.callers = callers_;
  plan.calls_before = calls_before_;
  plan.begin = os::now() + kHeadStart;
  std::atomic<bool> stopped{false};
  std::atomic<std::size_t> running{workers_.size()};
  const auto live = std::make_unique<Live[]>(workers_.size());
  std::vector<PhaseOutcome> outcomes(workers_.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      threads.emplace_back([&, i] {
        if (i < options_.cpus.size()) (void)os::pin_this_thread({options_.cpus[i]});
        outcomes[i] = workers_[i]->run(plan, stopped, live[i]);
        running.fetch_sub(1);
        poller.post([] {});  // wakes it
      });
    }
    while (!poller.run_until([&] { return running.load() == 0; }, os::now() + kWatchInterval)) {
      Live::Reading reading;
      for (std::size_t i = 0; i < workers_.size(); ++i) live[i].add_to(reading);
      if (!watch(reading)) stopped.store(true);
    }
  }
  PhaseOutcome total;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    calls_before_ = std::max(calls_before_, plan.calls_before + workers_[i]->numbers_used());
    total.add(std::move(outcomes[i]));
  }
  return total;
}

Engine::Engine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Engine::~Engine() {
  state_->close();
}

Result<std::unique_ptr<Engine>> Engine::open(std::vector<Caller> callers,
                                             const EngineOptions& options) {
  std::unique_ptr<Engine> engine(new Engine(std::make_unique<State>(options)));
  WB_CHECK(engine->state_->open(std::move(callers)));
  return engine;
}

Duration Engine::connecting() const {
  return state_->connecting();
}
std::size_t Engine::slots() const {
  return state_->slots();
}
Result<PhaseOutcome> Engine::run(const Spec& spec, os::Poller& poller, const Watch& watch) {
  return state_->run(spec, poller, watch);
}
void Engine::close() {
  state_->close();
}

}  // namespace weighbridge::load
