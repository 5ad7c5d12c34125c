#include "modes/points.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

#include "modes/assemble.h"
#include "modes/conclude.h"
#include "modes/guards.h"
#include "modes/lab.h"
#include "modes/point_repeat.h"
#include "modes/scenarios.h"
#include "modes/scout.h"
#include "modes/summary.h"
#include "os/host.h"
#include "os/interrupt.h"
#include "os/real_clock.h"
#include "os/wall_clock.h"
#include "plan/read.h"

namespace weighbridge::modes {
namespace {

/// A whole run: the record grows step by step and is handed to the observer after each.
class PointsRun {
 public:
  PointsRun(const plan::Plan& plan, const PointsOptions& options, Observer& observer)
      : plan_(plan),
        options_(options),
        observer_(observer),
        specs_(scenarios_of(plan, options.only)) {
    session_options_.client_version = options.build.version;
  }

  RunResult run() {
    const Instant begun = os::now();
    begin_record();
    std::optional<Error> error = conclude(record_, measure(begun), observer_);
    return {std::move(record_), std::move(error)};
  }

 private:
  Result<void> measure(Instant begun) {
    if (specs_.empty()) {
      return fail(ErrorCode::usage, fmt::format("no scenario is named \"{}\"", options_.only),
                  "--only", fmt::format("Choose among: {}", fmt::join(scenario_ids(plan_), ", ")));
    }
    WB_TRY(const auto lab, Lab::open(plan_, options_.supervisor_program));
    WB_CHECK(scout_all(*lab));
    const int steps = static_cast<int>(specs_.size()) * plan_.run.repeat;
    int step = 0;
    const Instant measuring = os::now();
    // Interleaved, so that a slow drift of the host falls on every scenario alike.
    for (int number = 1; number <= plan_.run.repeat; ++number) {
      for (std::size_t i = 0; i < specs_.size(); ++i) {
        Announcer announcer{&observer_, {}, begun};
        announcer.progress.scenario = specs_[i].id;
        announcer.progress.step = ++step;
        announcer.progress.steps = steps;
        if (step > 1)
          announcer.progress.remaining = (os::now() - measuring) / (step - 1) * (steps - step + 1);
        WB_CHECK(one_repeat(*lab, i, number, announcer));
      }
    }
    return {};
  }

  Result<void> one_repeat(Lab& lab, std::size_t index, int number, const Announcer& announcer) {
    RepeatResult result = run_point_repeat(lab, specs_[index], scouted_.at(key(specs_[index])),
                                           session_options_, number, announcer);
    record::Scenario& scenario = record_.scenarios[index];
    if (result.started) {
      hoist_missing_sources(result.repeat);
      scenario.repeats.push_back(std::move(result.repeat));
      scenario.summary = summarise(scenario.repeats);
    }
    if (result.error) return std::unexpected(*result.error);
    // Until the last step the file says that the run is under way, so that one cut short by SIGKILL
    // or a power failure cannot pass for complete.
    record_.status = record::Status::broke_off;
    record_.broke_off_because = "the run had not ended when this was saved";
    auto saved = observer_.on_step(record_);
    record_.broke_off_because.clear();
    return saved;
  }

  /// What the kernel does not offer is true of the run, not of a repeat.
  void hoist_missing_sources(record::Repeat& repeat) {
    std::vector<record::Doubt> own;
    for (record::Doubt& doubt : repeat.doubts) {
      if (doubt.kind == record::DoubtKind::missing_source) {
        add_once(record_.doubts, std::move(doubt));
      } else {
        own.push_back(std::move(doubt));
      }
    }
    repeat.doubts = std::move(own);
  }

  using Key = std::pair<Transport, std::string>;
  static Key key(const ScenarioSpec& spec) { return {spec.transport, spec.variant->name}; }

  Result<void> scout_all(Lab& lab) {
    for (const ScenarioSpec& spec : specs_) {
      if (scouted_.contains(key(spec))) continue;
      Progress progress;
      progress.scenario = spec.id;
      progress.phase = "scout";
      observer_.on_progress(progress);
      auto scouted = scout(lab, spec, session_options_);
      if (!scouted) return std::unexpected(lab.redact(scouted.error()));
      observer_.on_note(
          fmt::format("{}: {} {}, revision {} over {}, {} tools{}", spec.id, scouted->server.name,
                      scouted->server.version, scouted->server.revision, scouted->server.transport,
                      scouted->server.tools,
                      scouted->server.tool.empty() ? "" : ", calling " + scouted->server.tool));
      record_.settings.inherited_env = scouted->inherited_env;
      record_.settings.stripped_env = scouted->stripped_env;
      record_.servers.push_back(scouted->server);
      for (const record::Doubt& doubt : scouted->doubts) add_once(record_.doubts, doubt);
      scouted_.emplace(key(spec), std::move(*scouted));
      if (os::interrupted()) return fail(ErrorCode::interrupted, "interrupted");
    }
    return {};
  }

  void begin_record() {
    record_.name = plan_.name;
    record_.generated_at = os::utc_now();
    record_.build = options_.build;
    record_.host = host_of(os::read_host_facts(), os::read_host_load());
    record_.accuracy = options_.accuracy;
    record_.settings = settings_of(plan_, options_.quick, options_.only);
    record_.plan_toml = plan::to_toml(plan_, /*redacted=*/true);
    for (const ScenarioSpec& spec : specs_) {
      record::Scenario scenario;
      scenario.id = spec.id;
      scenario.transport = to_string(spec.transport);
      scenario.variant = spec.variant->name;
      scenario.telemetry = spec.telemetry;
      scenario.clients = spec.clients;
      scenario.parallel = spec.variant->parallel;
      scenario.rounds = plan_.run.rounds;
      scenario.channel = spec.transport == Transport::http ? "tcp"
                         : plan_.stdio->pipes              ? "pipe"
                                                           : "socketpair";
      record_.scenarios.push_back(std::move(scenario));
    }
    if (plan_.http && plan_.http->insecure) {
      record_.doubts.push_back({record::DoubtKind::certificate_unchecked, "",
                                "the certificate of the server was not checked: --insecure, or "
                                "insecure in the plan",
                                "Whoever answered may not be the server that was meant; trust its "
                                "authority with --ca-file instead"});
    }
    if (plan_.http && plan_.http->command.empty())
      record_.doubts.push_back(attached_doubt(plan_.http->pid.has_value()));
  }

  const plan::Plan& plan_;
  const PointsOptions& options_;
  Observer& observer_;
  std::vector<ScenarioSpec> specs_;
  std::map<Key, Scouted> scouted_;
  client::SessionOptions session_options_;
  record::Record record_;
};

}  // namespace

RunResult run_points(const plan::Plan& plan, const PointsOptions& options, Observer& observer) {
  return PointsRun(plan, options, observer).run();
}

}  // namespace weighbridge::modes
