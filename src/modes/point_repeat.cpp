#include "modes/point_repeat.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/units.h"
#include "load/rounds.h"
#include "modes/assemble.h"
#include "modes/guards.h"
#include "os/cpu_clock.h"
#include "os/host.h"
#include "os/interrupt.h"
#include "os/own_memory.h"
#include "os/real_clock.h"
#include "os/wall_clock.h"
#include "sampling/sampler.h"

namespace weighbridge::modes {
namespace {

constexpr Duration kWeatherLength = 50ms;
constexpr Duration kSettlePause = 50ms;
/// Moments that are quoted may take this long to settle; a step of the ramp, of which there may be
/// many, only a third of it.
constexpr Duration kSettleCeiling = 3s;
constexpr Duration kRampCeiling = 1s;
/// "Settled": load stopped and half a second of quiet before the reading.
constexpr Duration kQuiet = 500ms;
constexpr Duration kTick = 100ms;
constexpr Duration kCloseGrace = 2s;
constexpr Duration kReapPatience = 500ms;

/// One repeat while it runs. The phases are its member functions, called in order by run().
class PointRepeat {
 public:
  PointRepeat(Lab& lab, const ScenarioSpec& spec, const Scouted& scouted,
              const client::SessionOptions& options, int number, Announcer announcer)
      : lab_(lab),
        spec_(spec),
        scouted_(scouted),
        options_(options),
        announcer_(std::move(announcer)) {
    options_.era = scouted.era;
    options_.dialect = scouted.dialect;
    repeat_.number = number;
  }

  RepeatResult run() {
    repeat_.started_at = os::utc_now();
    const os::Weather before = os::probe_weather(kWeatherLength);
    origin_ = os::now();
    Result<void> result = phases();
    finish();
    const os::Weather after = os::probe_weather(kWeatherLength);
    note_weather(before, after);
    RepeatResult outcome{std::move(repeat_), started_, std::nullopt};
    if (os::interrupted()) {
      outcome.error = Error{ErrorCode::interrupted, "interrupted", where({}),
                            "What was finished is in the record", 0};
    } else if (!result) {
      outcome.error = lab_.redact(result.error().within(where({})));
    }
    return outcome;
  }

 private:
  Result<void> phases() {
    WB_TRY(supervisor_, lab_.new_supervisor());
    WB_TRY(deployment_, lab_.deploy(*supervisor_, spec_, scouted_.era, scouted_.dialect));
    WB_TRY(sampler_, sampling::Sampler::start(roots_of(lab_.plan(), spec_, supervisor_.get()),
                                              lab_.plan().run.sample_interval));
    baseline_ = sampler_->read_now();
    tick();
    WB_CHECK(start());
    WB_CHECK(ramp());
    WB_CHECK(load());
    after_load();
    return {};
  }

  // The phases
  // ---------------------------------------------------------------------------------------

  Result<void> start() {
    begin_phase("start");
    WB_TRY(const target::Started begun, deployment_->start());
    started_ = true;
    if (begun.before_spawn && begun.ready) {
      repeat_.startup.process_ready_ms = to_milliseconds(*begun.ready - *begun.before_spawn);
    }
    if (begun.attempts > 1) {
      doubt({record::DoubtKind::restarted, where("start"),
             fmt::format("the port was lost to another process; attempt {} succeeded",
                         begun.attempts),
             "The figures are of the successful attempt"});
    }
    if (spec_.transport == Transport::http && sampled()) {
      begin_phase("idle");
      repeat_.memory.idle = settled_moment("idle");
    }
    return {};
  }

  Result<void> ramp() {
    begin_phase("ramp");
    for (int client = 0; client < spec_.clients; ++client) {
      WB_CHECK(attach(client));
      if (os::interrupted()) return fail(ErrorCode::interrupted, "interrupted");
    }
    if (sampled()) {
      all_clients_moment_ = sampler_->read_moment();
      repeat_.memory.all_clients = moment_of(*all_clients_moment_, repeat_.ramp.back().settled);
      repeat_.memory.per_extra_client_mib = slope_of(repeat_.ramp);
    }
    all_clients_ = sampler_->read_now();
    repeat_.cpu.ramp_seconds = to_seconds(all_clients_.cpu - build_cpu_);
    return {};
  }

  Result<void> attach(int client) {
    WB_TRY(target::Attached attached, deployment_->attach(client, options_));
    started_ = true;
    sessions_.push_back(std::move(attached.session));
    auto listing =
        sessions_.back()->list("tools/list", os::now() + lab_.plan().run.first_list_timeout);
    if (!listing) return std::unexpected(broke_off(listing.error()));
    // On stdio the child is written to as soon as it is executed, so its first answer is counted
    // from the spawn.
    const Instant from = attached.child ? attached.child->before_spawn : listing->first_sent;
    record::RampPoint point;
    point.client = client + 1;
    point.first_list_ms = to_milliseconds(listing->done - from);
    if (client == 0) {
      build_cpu_ = sampler_->read_now().cpu;
      repeat_.cpu.build_seconds = to_seconds(build_cpu_ - baseline_.cpu);
      repeat_.startup.first_list_ms = point.first_list_ms;
      if (scouted_.era->handshake) repeat_.startup.open_ms = to_milliseconds(attached.open);
      if (attached.child) {
        repeat_.startup.process_ready_ms =
            to_milliseconds(attached.child->exec_returned - attached.child->before_spawn);
      }
    }
    if (sampled()) {
      const bool quoted = client == 0 || client + 1 == spec_.clients;
      const sampling::Settled settled = settle(quoted ? kSettleCeiling : kRampCeiling);
      point.resident_mib = to_mib(static_cast<double>(settled.resident_bytes));
      point.settled = settled.settled;
      if (quoted && !settled.settled) {
        doubt(unsettled_doubt(where("ramp"), client == 0 ? "one client" : "all clients",
                              kSettleCeiling));
      }
      if (client == 0)
        repeat_.memory.one_client = moment_of(sampler_->read_moment(), settled.settled);
    }
    repeat_.ramp.push_back(point);
    announcer_.progress.calls += 1;
    return {};
  }

  Result<void> load() {
    begin_phase("load");
    if (lab_.upstream() != nullptr) lab_.upstream()->reset_counters();
    const bool marks_reset = sampled() && sampler_->reset_high_water();
    os::reset_own_peak();
    const Duration standin_before = lab_.standin_cpu();
    const Duration driver_before = os::thread_cpu_time();
    const sampling::TreeSample tree_before = sampler_->read_now();
    sampling::TreeSample tree_after = tree_before;
    Instant last_done = tree_before.at;

    std::vector<client::Session*> sessions;
    for (const auto& session : sessions_) sessions.push_back(session.get());
    for (const MethodPlan& method : methods()) {
      if (os::interrupted()) break;
      load::RoundsSpec rounds;
      rounds.call = method.call;
      rounds.expect = method.expect;
      rounds.refusals = to_refusals(lab_.plan().refusals);
      rounds.rounds = lab_.plan().run.rounds;
      rounds.parallel = spec_.variant->parallel;
      rounds.call_timeout = lab_.plan().run.call_timeout;
      const load::Outcome outcome = load::run_rounds(
          lab_.poller(), sessions, rounds, [] { return os::interrupted(); },
          [this] { ++announcer_.progress.calls; });
      last_done = os::now();
      record::Method measured = method_of(method.call.method, method.detail, outcome, redactor());
      const sampling::TreeSample now = sampler_->read_now();
      if (sampled() && outcome.completed() > 0) {
        measured.cpu_per_call_ms =
            to_milliseconds(now.cpu - tree_after.cpu) / static_cast<double>(outcome.completed());
      }
      tree_after = now;
      repeat_.methods.push_back(std::move(measured));
    }
    load_window_ = {tree_before.at, last_done};
    repeat_.driver.cpu_seconds = to_seconds(os::thread_cpu_time() - driver_before);
    repeat_.driver.standin_cpu_seconds = to_seconds(lab_.standin_cpu() - standin_before);
    if (const auto peak = os::own_peak_bytes())
      repeat_.driver.peak_mib = to_mib(static_cast<double>(*peak));
    serve_figures(tree_before, tree_after, marks_reset);
    if (const auto died = who_died(); !died.empty() && !os::interrupted()) {
      doubt(died_doubt(where("load"), died, lab_.redact(deployment_->last_words())));
      return fail(ErrorCode::run,
                  fmt::format("the target ended by itself during the load: {}", died.front()), {},
                  "Its last words:\n" + deployment_->last_words());
    }
    if (os::interrupted()) return fail(ErrorCode::interrupted, "interrupted");
    return {};
  }

  void after_load() {
    if (!sampled()) return;
    begin_phase("after");
    lab_.rest(kQuiet);
    repeat_.memory.after_load = settled_moment("after load");
  }

  // Helpers of the phases
  // ------------------------------------------------------------------------------

  struct MethodPlan {
    client::Call call;
    std::string detail;
    protocol::Expectation expect;
  };

  std::vector<MethodPlan> methods() const {
    std::vector<MethodPlan> methods;
    if (scouted_.lists_resources)
      methods.push_back({{"resources/list", "{}", {}}, "smallest listing", {}});
    if (scouted_.tool_call)
      methods.push_back({*scouted_.tool_call, scouted_.server.tool, scouted_.expect});
    methods.push_back({{"tools/list", "{}", {}},
                       scouted_.server.list_pages > 1
                           ? fmt::format("first of {} pages", scouted_.server.list_pages)
                           : "whole listing",
                       {}});
    return methods;
  }

  void serve_figures(const sampling::TreeSample& before, const sampling::TreeSample& after,
                     bool marks_reset) {
    const double real_seconds = to_seconds(load_window_.second - load_window_.first);
    repeat_.driver.busy_share = real_seconds > 0 ? repeat_.driver.cpu_seconds / real_seconds : 0;
    if (!sampled()) return;
    std::uint64_t completed = 0;
    std::uint64_t served = 0;
    for (const record::Method& method : repeat_.methods) {
      completed += method.sent - method.hung.count;
      served += method.served.count;
    }
    record::Cpu& cpu = repeat_.cpu;
    cpu.serve_seconds = to_seconds(after.cpu - before.cpu);
    if (real_seconds > 0) cpu.serve_percent = cpu.serve_seconds / real_seconds * 100;
    if (completed > 0) cpu.per_call_ms = cpu.serve_seconds * 1e3 / static_cast<double>(completed);
    if (served > 0) cpu.per_served_call_ms = cpu.serve_seconds * 1e3 / static_cast<double>(served);

    const sampling::Trace trace = sampler_->trace();
    const auto largest = largest_resident(trace, before.at, after.at);
    record::Memory& memory = repeat_.memory;
    if (largest) memory.peak_sampled_mib = to_mib(static_cast<double>(*largest));
    if (after.high_water_bytes && marks_reset) {
      memory.peak_high_water_mib = to_mib(static_cast<double>(*after.high_water_bytes));
    }
    // One process: the kernel's own mark misses nothing between samples. A tree's marks need not
    // have been reached together, so their sum is only an upper bound.
    memory.peak_mib = after.processes == 1 && memory.peak_high_water_mib
                          ? memory.peak_high_water_mib
                          : memory.peak_sampled_mib;
  }

  /// A broken channel is noticed before the exit behind it has been reaped.
  std::vector<std::string> who_died() {
    const bool suspicious = std::ranges::any_of(
        repeat_.methods, [](const record::Method& method) { return method.failed.count > 0; });
    if (suspicious) {
      lab_.poller().run_until([this] { return !deployment_->died().empty(); },
                              os::now() + kReapPatience);
    }
    return deployment_->died();
  }

  sampling::Settled settle(Duration ceiling) {
    static const os::RealClock clock;
    return sampling::settle([this] { return sampler_->read_now().resident_bytes; },
                            [this](Duration span) { lab_.rest(span); }, clock, kSettlePause,
                            ceiling);
  }

  record::MemoryMoment settled_moment(const std::string& moment) {
    const sampling::Settled settled = settle(kSettleCeiling);
    if (!settled.settled) doubt(unsettled_doubt(where(moment), moment, kSettleCeiling));
    return moment_of(sampler_->read_moment(), settled.settled);
  }

  /// Closes, stops, and puts together what only the end shows. Runs whatever happened before.
  void finish() {
    lab_.poller().cancel(tick_timer_);
    end_phase();
    for (const auto& session : sessions_) {
      const client::SessionCounters counters = session->counters();
      repeat_.driver.connections_opened += counters.connections_opened;
      repeat_.driver.connection_resets_retried += counters.connection_resets_retried;
      streams_resumed_ += counters.streams_resumed;
      repeat_.driver.notifications += counters.notifications;
      repeat_.driver.server_requests_answered += counters.server_requests_answered;
    }
    standin_figures();
    if (sampler_) sampling_figures();
    for (const auto& session : sessions_) session->close(os::interrupted() ? 0s : kCloseGrace);
    sessions_.clear();
    if (deployment_) {
      const target::Stopped stopped = deployment_->stop();
      std::vector<std::string> commands;
      for (const os::Survivor& survivor : stopped.ended)
        commands.push_back(lab_.redact(survivor.command));
      if (!commands.empty() && !os::interrupted()) doubt(orphans_doubt(where("stop"), commands));
    }
    deployment_.reset();
    sampler_.reset();
    supervisor_.reset();
    load_doubts();
  }

  void sampling_figures() {
    const sampling::TreeSample end = sampler_->read_now();
    const Duration length = os::now() - origin_;
    const sampling::Trace trace = sampler_->stop();
    repeat_.trace = trace_of(trace, origin_);
    repeat_.driver.sampler_cpu_seconds = to_seconds(trace.sampler_cpu);
    repeat_.cpu.total_seconds = to_seconds(end.cpu - baseline_.cpu);
    repeat_.cpu.user_seconds = to_seconds(end.user - baseline_.user);
    repeat_.cpu.system_seconds = to_seconds(end.system - baseline_.system);
    if (!sampled()) return;
    const std::size_t launched = spec_.transport == Transport::stdio
                                     ? static_cast<std::size_t>(spec_.clients)
                                     : std::size_t{1};
    repeat_.resources = resources_of(all_clients_, end, trace, launched);
    if (all_clients_moment_)
      repeat_.processes = processes_of(*all_clients_moment_, trace, redactor());
    for (record::Doubt& missing :
         sampling_doubts(where({}), trace, length, std::max<std::uint64_t>(end.processes, 1))) {
      doubt(std::move(missing));
    }
  }

  void standin_figures() {
    if (lab_.upstream() != nullptr) {
      const standin::UpstreamCounters counters = lab_.upstream()->counters();
      repeat_.standins.upstream_requests = counters.requests;
      repeat_.standins.upstream_peak_in_flight = counters.peak_in_flight;
    }
    if (lab_.collector() != nullptr && spec_.telemetry) {
      for (const auto& [signal, counts] : lab_.collector()->counts()) {
        repeat_.standins.otlp_requests[signal] = counts.requests;
        repeat_.standins.otlp_bytes[signal] = counts.bytes;
      }
      lab_.collector()->reset_counters();
    }
  }

  void load_doubts() {
    for (record::Doubt& found : driver_doubts(where("load"), repeat_.driver, repeat_.methods))
      doubt(std::move(found));
    for (record::Doubt& found : outcome_doubts(where("load"), repeat_.methods))
      doubt(std::move(found));
    if (repeat_.driver.connection_resets_retried > 0) {
      doubt({record::DoubtKind::connection_resets, where("load"),
             fmt::format(
                 "{} requests met a connection that the server had closed and were sent again",
                 repeat_.driver.connection_resets_retried),
             "Their latency includes both attempts"});
    }
    if (streams_resumed_ > 0) {
      doubt({record::DoubtKind::streams_resumed, where("load"),
             fmt::format("{} event streams ended before their answers and were read on by GET",
                         streams_resumed_),
             "Their latency includes the wait that the server asked for"});
    }
  }

  void note_weather(const os::Weather& before, const os::Weather& after) {
    repeat_.weather_before = {before.lost_share, to_milliseconds(before.worst_gap)};
    repeat_.weather_after = {after.lost_share, to_milliseconds(after.worst_gap)};
    if (auto noisy = weather_doubt(where({}), before, after)) doubt(std::move(*noisy));
  }

  // Small things
  // ---------------------------------------------------------------------------------------

  [[nodiscard]] bool sampled() const { return is_sampled(lab_.plan(), spec_); }

  [[nodiscard]] std::string where(const std::string& phase) const {
    std::string text = fmt::format("{}, repeat {}", spec_.id, repeat_.number);
    if (!phase.empty()) text += ", " + phase;
    return text;
  }
  void doubt(record::Doubt found) { repeat_.doubts.push_back(std::move(found)); }
  [[nodiscard]] const plan::Redactor& redactor() const { return lab_.redactor(); }

  Error broke_off(Error error) const {
    error.code = error.code == ErrorCode::interrupted ? error.code : ErrorCode::run;
    const std::string words = deployment_->last_words();
    if (!words.empty())
      error.remedy += (error.remedy.empty() ? "" : "\n") + ("The server's last words:\n" + words);
    return error;
  }

  void begin_phase(const std::string& name) {
    end_phase();
    repeat_.phases.push_back({name, to_milliseconds(os::now() - origin_), 0});
    announcer_.progress.phase = name;
    announce();
  }
  void end_phase() {
    if (!repeat_.phases.empty() && repeat_.phases.back().end_ms == 0) {
      repeat_.phases.back().end_ms = to_milliseconds(os::now() - origin_);
    }
  }

  /// Ten times a second: tell the observer, and once the user wants to stop, end the target so that
  /// every wait for it ends too.
  void tick() {
    if (os::interrupted() && !aborted_) {
      aborted_ = true;
      for (const auto& session : sessions_)
        session->abort(Error{ErrorCode::interrupted, "interrupted", {}, {}, 0});
      supervisor_->end_all();
    }
    announce();
    tick_timer_ = lab_.poller().at(os::now() + kTick, [this] { tick(); });
  }

  void announce() {
    Progress& progress = announcer_.progress;
    progress.elapsed = os::now() - announcer_.run_begin;
    if (sampler_ && sampled()) {
      const auto latest = sampler_->latest();
      if (latest.second.processes > 0) {
        progress.resident_mib = to_mib(static_cast<double>(latest.second.resident_bytes));
        const double span = to_seconds(latest.second.at - latest.first.at);
        if (span > 0)
          progress.cpu_percent = to_seconds(latest.second.cpu - latest.first.cpu) / span * 100;
      }
    }
    announcer_.observer->on_progress(progress);
  }

  Lab& lab_;
  const ScenarioSpec& spec_;
  const Scouted& scouted_;
  client::SessionOptions options_;
  Announcer announcer_;

  record::Repeat repeat_;
  bool started_ = false;
  bool aborted_ = false;
  Instant origin_{};
  std::pair<Instant, Instant> load_window_{};
  sampling::TreeSample baseline_{};
  sampling::TreeSample all_clients_{};
  std::optional<sampling::MemoryMoment> all_clients_moment_;
  Duration build_cpu_{};
  os::Poller::TimerId tick_timer_ = 0;

  // Torn down in reverse: sessions, target, sampler, supervisor.
  std::unique_ptr<os::Supervisor> supervisor_;
  std::unique_ptr<sampling::Sampler> sampler_;
  std::unique_ptr<target::Deployment> deployment_;
  std::uint64_t streams_resumed_ = 0;
  std::vector<std::unique_ptr<client::Session>> sessions_;
};

}  // namespace

RepeatResult run_point_repeat(Lab& lab, const ScenarioSpec& spec, const Scouted& scouted,
                              const client::SessionOptions& options, int number,
                              Announcer announcer) {
  return PointRepeat(lab, spec, scouted, options, number, std::move(announcer)).run();
}

}  // namespace weighbridge::modes
