#include "modes/load_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/units.h"
#include "load/engine.h"
#include "modes/assemble.h"
#include "modes/assemble_load.h"
#include "modes/conclude.h"
#include "modes/guards.h"
#include "modes/lab.h"
#include "modes/scenarios.h"
#include "modes/scout.h"
#include "os/affinity.h"
#include "os/host.h"
#include "os/interrupt.h"
#include "os/own_memory.h"
#include "os/real_clock.h"
#include "os/wall_clock.h"
#include "plan/write.h"
#include "protocol/json_text.h"
#include "sampling/sampler.h"

namespace weighbridge::modes {
namespace {

constexpr Duration kWeatherLength = 50ms;
constexpr Duration kCloseGrace = 2s;
/// In open loop a call that finds no free slot waits in a line of ours and not in the server's: so
/// many that this is rare.
constexpr int kOpenLoopParallel = 64;
/// A server that serves less than this share of the calls that were due does not keep up, whatever
/// its latencies say.
constexpr double kKeepsUp = 0.95;
constexpr double kCloseEnough = 1.05;
constexpr int kMostSearchSteps = 30;

std::string rate_words(double rate) {
  return fmt::format("{:.4g}/s", rate);
}

std::string expectation_words(const protocol::Expectation& expect) {
  std::vector<std::string> words;
  if (!expect.contains.empty()) words.push_back("contains " + protocol::quote(expect.contains));
  if (expect.equals) words.push_back("is the text " + protocol::quote(*expect.equals));
  if (expect.min_bytes) words.push_back(fmt::format("at least {} bytes", *expect.min_bytes));
  if (expect.max_bytes) words.push_back(fmt::format("at most {} bytes", *expect.max_bytes));
  if (!expect.pointer.empty() && !expect.value.empty())
    words.push_back(fmt::format("{} at {}", expect.value, expect.pointer));
  if (expect.count)
    words.push_back(fmt::format("{} elements at {}", *expect.count, expect.pointer));
  if (!expect.pointer.empty() && expect.value.empty() && !expect.count)
    words.push_back("something at " + expect.pointer);
  if (expect.same_result) words.emplace_back("the same result every time");
  return fmt::format("{}", fmt::join(words, ", "));
}

/// One run while it goes. The steps are its member functions, in order of run().
class LoadRun {
 public:
  LoadRun(const plan::Plan& plan, const LoadOptions& options, Observer& observer)
      : plan_(plan), options_(options), observer_(observer) {
    session_options_.client_version = options.build.version;
  }

  LoadRunResult run() {
    begun_ = os::now();
    begin_record();
    Result<void> result = measure();
    stop();
    std::optional<Error> error = conclude(record_, std::move(result), observer_);
    return {std::move(record_), std::move(error)};
  }

 private:
  Result<void> measure() {
    WB_CHECK(pick_scenario());
    WB_CHECK(expect_plain_http());
    begin_settings();
    WB_CHECK(load::make_room(static_cast<std::size_t>(spec_.clients), parallel(),
                             spec_.transport == Transport::http));
    WB_TRY(lab_, Lab::open(plan_, options_.supervisor_program));
    if (auto done = prepare(); !done) return std::unexpected(lab_->redact(done.error()));
    announce("load");
    auto done = options_.search ? search() : all_steps();
    if (!done) return std::unexpected(lab_->redact(done.error()));
    return {};
  }

  // Before the load
  // --------------------------------------------------------------------------------

  Result<void> pick_scenario() {
    std::vector<ScenarioSpec> specs = scenarios_of(plan_, options_.only);
    std::vector<std::string> ids;
    for (const ScenarioSpec& spec : specs) ids.push_back(spec.id);
    if (specs.size() == 1) {
      spec_ = specs.front();
      spec_.clients = options_.credentials;
      return {};
    }
    return fail(ErrorCode::usage,
                specs.empty()
                    ? fmt::format("no scenario is named \"{}\"", options_.only)
                    : fmt::format("the plan has {} scenarios; a load drives one", specs.size()),
                "--only",
                fmt::format("Choose among: {}", fmt::join(specs.empty() ? all_ids() : ids, ", ")));
  }

  Result<void> expect_plain_http() const {
    if (spec_.transport != Transport::http) return {};
    const bool secure = plan_.http->url.starts_with("https:");
    if (!secure && plan_.http->proxy.empty()) return {};
    return fail(
        ErrorCode::usage,
        fmt::format("the load engine does not speak {} yet", secure ? "https" : "to a proxy"), {},
        "Use weighbridge run, or give it an http:// URL of a proxy on this host");
  }

  std::vector<std::string> all_ids() const {
    std::vector<std::string> ids;
    for (const ScenarioSpec& spec : scenarios_of(plan_, {})) ids.push_back(spec.id);
    return ids;
  }

  Result<void> prepare() {
    announce("scout");
    WB_TRY(scouted_, scout(*lab_, spec_, session_options_));
    if (scouted_->dialect == client::HttpDialect::sse)
      return fail(ErrorCode::target, "the load engine does not speak HTTP+SSE of 2024-11-05",
                  spec_.id, "Use weighbridge run, or a newer transport of the server");
    record_.server = scouted_->server;
    record_.settings.inherited_env = scouted_->inherited_env;
    record_.settings.stripped_env = scouted_->stripped_env;
    WB_CHECK(choose_operations());
    scouted_->tools = {};  // megabytes, of some servers
    place();
    announce("start");
    WB_TRY(supervisor_, lab_->new_supervisor());
    WB_TRY(deployment_,
           lab_->deploy(*supervisor_, spec_, scouted_->era, scouted_->dialect, target_cpus_));
    WB_TRY(sampler_, sampling::Sampler::start(roots_of(plan_, spec_, supervisor_.get()),
                                              plan_.run.sample_interval));
    WB_CHECK(deployment_->start());
    WB_CHECK(open_engine());
    return {};
  }

  Result<void> choose_operations() {
    std::vector<MixEntry> mix = options_.mix;
    if (mix.empty()) mix.push_back({scouted_->tool_call ? "tools/call" : "tools/list", {}, 1});
    const bool calls = std::ranges::any_of(mix, [](const MixEntry& entry) {
      return entry.method == "tools/call" && entry.tool.empty();
    });
    for (const record::Doubt& doubt : scouted_->doubts) {
      const bool of_the_tool =
          doubt.kind == record::DoubtKind::tool_chosen || doubt.kind == record::DoubtKind::no_tool;
      if (of_the_tool ? calls : doubt.kind != record::DoubtKind::method_left_out)
        add_once(record_.doubts, doubt);
    }
    for (const MixEntry& entry : mix) {
      WB_CHECK(add_operation(entry));
    }
    for (const load::Operation& operation : base_.operations)
      record_.settings.operations.push_back({operation.method, operation.name, operation.weight,
                                             operation.params.size(),
                                             expectation_words(operation.expect)});
    return {};
  }

  Result<void> add_operation(const MixEntry& entry) {
    load::Operation operation;
    operation.method = entry.method;
    operation.weight = entry.weight;
    if (entry.method != "tools/call") {
      base_.operations.push_back(std::move(operation));
      return {};
    }
    const bool plans_own = entry.tool.empty() || entry.tool == scouted_->server.tool;
    if (entry.tool.empty() && !scouted_->tool_call)
      return fail(ErrorCode::plan, "there is no tool that is safe to call unasked", "--mix",
                  "Name one, as in tools/call:NAME=1");
    operation.name = entry.tool.empty() ? scouted_->server.tool : entry.tool;
    std::vector<std::string> arguments = options_.arguments;
    const auto& plans_call = spec_.variant->call;
    if (arguments.empty())
      arguments.push_back(plans_own && plans_call ? plans_call->arguments : std::string("{}"));
    if (plans_own) operation.expect = scouted_->expect;
    operation.params.clear();
    for (const std::string& each : arguments) {
      WB_TRY(client::Call call, call_of_listed(scouted_->tools, operation.name, each, "--mix"));
      if (!call.param_headers.empty() && arguments.size() > 1)
        return fail(ErrorCode::plan,
                    fmt::format("\"{}\" wants arguments in headers too, which the load engine sets "
                                "once for all calls",
                                operation.name),
                    "--arguments-file", "Give one set of arguments");
      operation.params.push_back(std::move(call.params));
      operation.param_headers = std::move(call.param_headers);
    }
    base_.operations.push_back(std::move(operation));
    return {};
  }

  /// Cores for driver and server. On a machine of four or more that starts the server itself, each
  /// gets its own; on a smaller one nobody is confined, because taking a core from the server would
  /// change it more than sharing does.
  void place() {
    driver_cpus_ = options_.driver_cpus;
    target_cpus_ = options_.target_cpus;
    const std::vector<int> cpus = os::allowed_cpus();
    const auto threads = static_cast<std::size_t>(options_.threads);
    if (driver_cpus_.empty() && target_cpus_.empty() && !is_attached(plan_, spec_) &&
        cpus.size() >= 4 && threads < cpus.size()) {
      const auto border = cpus.end() - static_cast<std::ptrdiff_t>(threads);
      target_cpus_.assign(cpus.begin(), border);
      driver_cpus_.assign(border, cpus.end());
    }
    record_.settings.driver_cpus = os::format_cpus(driver_cpus_);
    record_.settings.target_cpus = os::format_cpus(target_cpus_);
    const auto words = [](const std::vector<int>& chosen) {
      return chosen.empty() ? std::string("any core") : "cores " + os::format_cpus(chosen);
    };
    observer_.on_note(
        fmt::format("driver on {}, server on {}", words(driver_cpus_), words(target_cpus_)));
  }

  Result<void> open_engine() {
    session_options_.era = scouted_->era;
    std::vector<load::Caller> callers;
    for (int client = 0; client < spec_.clients; ++client) {
      WB_TRY(target::Attached attached, deployment_->attach(client, session_options_));
      load::Caller caller;
      caller.era = scouted_->era;
      caller.http = attached.access;
      caller.session_id = attached.session->session_id();
      if (attached.access) {
        attached.session->close_idle();
        if (!caller.session_id.empty()) sessions_.push_back(std::move(attached.session));
      } else {
        caller.stdio = attached.session->release_channel();
        if (!caller.stdio)
          return fail(ErrorCode::target, "a process of the server has closed its channel", spec_.id,
                      deployment_->last_words());
      }
      callers.push_back(std::move(caller));
      if (os::interrupted()) return fail(ErrorCode::interrupted, "interrupted");
    }
    load::EngineOptions options;
    options.threads = static_cast<std::size_t>(options_.threads);
    options.parallel = parallel();
    options.cpus = driver_cpus_;
    options.client = {session_options_.client_name, session_options_.client_version};
    options.connect_timeout = plan_.run.ready_timeout;
    auto engine = load::Engine::open(std::move(callers), options);
    if (!engine) return std::unexpected(explained(engine.error()));
    engine_ = std::move(*engine);
    return {};
  }

  Error explained(Error error) const {
    const std::string words = deployment_->last_words();
    if (!words.empty())
      error.remedy += (error.remedy.empty() ? "" : "\n") + ("The server's last words:\n" + words);
    return error;
  }

  // The load
  // ------------------------------------------------------------------------------------------

  Result<void> all_steps() {
    steps_ = static_cast<int>(options_.steps.size());
    for (const LoadStepPlan& step : options_.steps) {
      WB_CHECK(one_step(step));
    }
    return {};
  }

  Result<void> search() {
    const RateSearch& wanted = *options_.search;
    record::LoadVerdict& verdict = record_.verdict.emplace();
    verdict.condition = wanted.condition.words;
    double rate = wanted.first;
    for (int i = 0; i < kMostSearchSteps; ++i) {
      LoadStepPlan step;
      step.name = rate_words(rate);
      step.pace.emplace().segments.push_back({rate, rate, wanted.duration});
      step.pace->poisson = wanted.poisson;
      step.pace->per_credential = wanted.per_credential;
      WB_CHECK(one_step(step));
      const bool held = record_.steps.back().held.value_or(false);
      (held ? verdict.held_rate : verdict.broke_rate) = rate;
      observer_.on_note(fmt::format("{}: {}", step.name, held ? "held" : "did not hold"));
      if (verdict.held_rate && verdict.broke_rate &&
          *verdict.broke_rate <= *verdict.held_rate * kCloseEnough)
        break;
      if (!verdict.broke_rate)
        rate *= 2;
      else
        rate = verdict.held_rate ? std::sqrt(*verdict.held_rate * *verdict.broke_rate) : rate / 2;
      if (rate * to_seconds(wanted.duration) < 1) break;  // not one call a step
    }
    WB_CHECK(observer_.on_step(record_));
    return {};
  }

  Result<void> one_step(const LoadStepPlan& plan) {
    load::Spec spec = base_;
    spec.pace = plan.pace;
    spec.duration = plan.duration;
    spec.requests = plan.requests;
    const std::string where = fmt::format("{}, {}", spec_.id, plan.name);
    ++step_;
    begin_watch(plan.name);
    const std::string started_at = os::utc_now();
    const os::Weather before = os::probe_weather(kWeatherLength);
    os::reset_own_peak();
    const sampling::TreeSample tree_before = sampler_->read_now();
    auto outcome = engine_->run(spec, lab_->poller(),
                                [this](const load::Live::Reading& live) { return watch(live); });
    if (!outcome) return std::unexpected(outcome.error());
    const sampling::TreeSample tree_after = sampler_->read_now();
    const os::Weather after = os::probe_weather(kWeatherLength);

    record::LoadStep step =
        step_of(spec, *outcome, static_cast<std::size_t>(spec_.clients), lab_->redactor());
    step.name = plan.name;
    step.started_at = started_at;
    step.weather_before = {before.lost_share, to_milliseconds(before.worst_gap)};
    step.weather_after = {after.lost_share, to_milliseconds(after.worst_gap)};
    step.driver.connect_ms = to_milliseconds(engine_->connecting());
    if (const auto peak = os::own_peak_bytes())
      step.driver.peak_mib = to_mib(static_cast<double>(*peak));
    if (is_sampled(plan_, spec_))
      step.target = target_of(tree_before, tree_after, sampler_->trace().samples, step);
    if (options_.search) step.held = holds(step);
    step.doubts = load_doubts(where, step);
    return keep(std::move(step), outcome->slots_lost, where);
  }

  bool holds(const record::LoadStep& step) const {
    const bool keeps_up = step.missed == 0 && step.rate >= kKeepsUp * step.offered_rate.value_or(0);
    return keeps_up && !comes_true(options_.search->condition, step);
  }

  /// The step goes into the record and the record to the observer. Until the last one the file says
  /// that the run is under way, so that one cut short by SIGKILL cannot pass for complete.
  Result<void> keep(record::LoadStep step, std::uint64_t slots_lost, const std::string& where) {
    auto died = deployment_->died();
    if (died.empty() && slots_lost > 0)
      died.push_back(fmt::format("{} slots lost their process", slots_lost));
    if (!died.empty() && !os::interrupted())
      step.doubts.push_back(died_doubt(where, died, lab_->redact(deployment_->last_words())));
    const bool nothing = step.served == 0;
    const std::string first = step.troubles.empty() ? "" : step.troubles.front().first_text;
    record_.steps.push_back(std::move(step));
    record_.status = record::Status::broke_off;
    record_.broke_off_because = "the run had not ended when this was saved";
    auto saved = observer_.on_step(record_);
    record_.broke_off_because.clear();
    if (!saved) return saved;
    if (os::interrupted()) return fail(ErrorCode::interrupted, "interrupted");
    if (!died.empty())
      return fail(ErrorCode::run, "the target ended by itself during the load: " + died.front(),
                  where, "Its last words:\n" + deployment_->last_words());
    // In a search an overloaded server is the answer; elsewhere there is nothing to go on with.
    if (nothing && !options_.search)
      return fail(ErrorCode::run,
                  first.empty() ? "not one call was served"
                                : "not one call was served; the first came to: " + first,
                  where);
    return {};
  }

  // Telling
  // -----------------------------------------------------------------------------------------

  void announce(const std::string& phase) {
    Progress progress;
    progress.scenario = spec_.id;
    progress.phase = phase;
    progress.elapsed = os::now() - begun_;
    observer_.on_progress(progress);
  }

  void begin_watch(const std::string& name) {
    seen_ = {};
    seen_at_ = os::now();
    progress_ = {};
    progress_.scenario = spec_.id + ", " + name;
    progress_.step = step_;
    progress_.steps = steps_;
    progress_.phase = "load";
    progress_.elapsed = os::now() - begun_;
    observer_.on_progress(progress_);
  }

  bool watch(const load::Live::Reading& reading) {
    constexpr Duration kWindow = 1s;
    const Instant now = os::now();
    progress_.elapsed = now - begun_;
    progress_.calls = reading.of(protocol::Outcome::served);
    progress_.not_served = reading.of(protocol::Outcome::refused) +
                           reading.of(protocol::Outcome::failed) +
                           reading.of(protocol::Outcome::hung);
    progress_.in_flight = reading.in_flight;
    if (now - seen_at_ >= kWindow) {
      const std::uint64_t served =
          reading.of(protocol::Outcome::served) - seen_.of(protocol::Outcome::served);
      progress_.calls_per_second = static_cast<double>(served) / to_seconds(now - seen_at_);
      const auto p50 = reading.percentile(0.5, seen_);
      // As everywhere: no p99 of fewer than a hundred.
      const auto p99 = served >= 100 ? reading.percentile(0.99, seen_) : std::nullopt;
      progress_.p50_ms = p50 ? std::optional(to_milliseconds(*p50)) : std::nullopt;
      progress_.p99_ms = p99 ? std::optional(to_milliseconds(*p99)) : std::nullopt;
      seen_ = reading;
      seen_at_ = now;
    }
    observer_.on_progress(progress_);
    return !os::interrupted();
  }

  // The end
  // -----------------------------------------------------------------------------------------

  void stop() {
    engine_.reset();
    const Instant deadline = os::now() + kCloseGrace;
    for (const auto& session : sessions_)
      session->close(os::interrupted() ? 0s : std::max<Duration>(deadline - os::now(), 0s));
    sessions_.clear();
    if (sampler_) sampler_->stop();
    if (deployment_) {
      const target::Stopped stopped = deployment_->stop();
      std::vector<std::string> commands;
      for (const os::Survivor& survivor : stopped.ended)
        commands.push_back(lab_->redact(survivor.command));
      if (!commands.empty() && !os::interrupted())
        record_.doubts.push_back(orphans_doubt(spec_.id, commands));
    }
    deployment_.reset();
    sampler_.reset();
    supervisor_.reset();
  }

  void begin_record() {
    record_.name = plan_.name;
    record_.generated_at = os::utc_now();
    record_.build = options_.build;
    record_.host = host_of(os::read_host_facts(), os::read_host_load());
    record_.accuracy = options_.accuracy;
    record_.plan_toml = plan::to_toml(plan_, /*redacted=*/true);
  }

  void begin_settings() {
    base_.alternate = options_.alternate;
    base_.think = options_.think;
    base_.call_timeout = plan_.run.call_timeout;
    base_.seed = options_.seed;
    base_.check_every = options_.check_every;
    base_.spin = options_.spin;
    base_.refusals = to_refusals(plan_.refusals);
    const load::Pace* pace = nullptr;
    for (const LoadStepPlan& step : options_.steps)
      if (step.pace) pace = &*step.pace;
    const bool poisson =
        options_.search ? options_.search->poisson : pace != nullptr && pace->poisson;
    record::LoadSettings& settings = record_.settings;
    settings.credentials = options_.credentials;
    settings.parallel = static_cast<int>(parallel());
    settings.threads = options_.threads;
    settings.arrivals = !open_loop() ? "closed" : poisson ? "poisson" : "constant";
    settings.per_credential =
        options_.search ? options_.search->per_credential : pace != nullptr && pace->per_credential;
    settings.think_ms = to_milliseconds(options_.think);
    settings.alternate = options_.alternate;
    settings.call_timeout_seconds = to_seconds(plan_.run.call_timeout);
    settings.ready_timeout_seconds = to_seconds(plan_.run.ready_timeout);
    settings.spin_us = to_milliseconds(options_.spin) * 1e3;
    settings.seed = options_.seed;
    settings.check_every = base_.check_every;
    settings.check_every_long = base_.check_every_long();
    if (options_.search) settings.until = options_.search->condition.words;
    if (is_attached(plan_, spec_))
      record_.doubts.push_back(attached_doubt(plan_.http->pid.has_value()));
  }

  // Small things
  // -----------------------------------------------------------------------------------

  [[nodiscard]] bool open_loop() const {
    return options_.search || std::ranges::any_of(options_.steps, [](const auto& step) {
             return step.pace.has_value();
           });
  }
  [[nodiscard]] std::size_t parallel() const {
    const int plans = spec_.variant->parallel;
    return static_cast<std::size_t>(
        options_.parallel.value_or(open_loop() ? std::max(plans, kOpenLoopParallel) : plans));
  }

  const plan::Plan& plan_;
  const LoadOptions& options_;
  Observer& observer_;
  client::SessionOptions session_options_;
  Instant begun_{};
  record::LoadRecord record_;
  ScenarioSpec spec_;
  load::Spec base_;
  std::vector<int> driver_cpus_;
  std::vector<int> target_cpus_;
  int step_ = 0;
  int steps_ = 0;
  Progress progress_;
  load::Live::Reading seen_;
  Instant seen_at_{};

  // Torn down in reverse: engine, sessions, target, sampler, supervisor.
  std::unique_ptr<Lab> lab_;
  std::optional<Scouted> scouted_;
  std::unique_ptr<os::Supervisor> supervisor_;
  std::unique_ptr<sampling::Sampler> sampler_;
  std::unique_ptr<target::Deployment> deployment_;
  std::vector<std::unique_ptr<client::Session>> sessions_;
  std::unique_ptr<load::Engine> engine_;
};

}  // namespace

LoadRunResult run_load(const plan::Plan& plan, const LoadOptions& options, Observer& observer) {
  return LoadRun(plan, options, observer).run();
}

}  // namespace weighbridge::modes
