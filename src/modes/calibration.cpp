#include "modes/calibration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/words.h"
#include "load/engine.h"
#include "modes/assemble.h"
#include "modes/conclude.h"
#include "modes/known_weights.h"
#include "modes/lab.h"
#include "modes/scout.h"
#include "modes/specimen.h"
#include "modes/weigh_up.h"
#include "os/host.h"
#include "os/interrupt.h"
#include "os/real_clock.h"
#include "os/wall_clock.h"

namespace weighbridge::modes {
namespace {

/// Both ends of a series of weighings: how many, how many of them must be quiet, how long at most.
struct Extent {
  int weighings;
  std::uint64_t least_quiet;
  Duration longest;
};
/// method.md: accuracy needs at least ten quiet phases. A quick look has two.
constexpr Extent kFull{12, 10, 280s};
constexpr Extent kQuick{3, 2, 25s};
constexpr Duration kWeatherLength = 50ms;

bool is_null(const WeightSpec& weight) {
  return weight.id.starts_with("null-");
}

/// An experiment with what it has shown so far, one series for each of its weights.
struct Series {
  Experiment experiment;
  std::vector<std::vector<record::Weighing>> weighings;
  int done = 0;
  int quiet = 0;
  bool given_up = false;  ///< the kernel does not show it

  [[nodiscard]] bool wanted(const Extent& extent, bool quick) const {
    if (given_up) return false;
    const int usual = quick ? extent.weighings : std::max(extent.weighings, experiment.weighings);
    return done < usual || std::cmp_less(quiet, extent.least_quiet);
  }
};

class CalibrationRun {
 public:
  CalibrationRun(const CalibrationOptions& options, Observer& observer)
      : options_(options),
        observer_(observer),
        extent_(options.quick ? kQuick : kFull),
        plan_(specimen_plan(options.server)) {}

  CalibrationResult run() {
    begun_ = os::now();
    begin();
    Result<void> result = weigh_all();
    sum_up();
    std::optional<Error> error = conclude(calibration_, std::move(result), observer_);
    return {std::move(calibration_), std::move(error)};
  }

 private:
  void begin() {
    calibration_.generated_at = os::utc_now();
    calibration_.build = options_.build;
    calibration_.host = host_of(os::read_host_facts(), os::read_host_load());
    calibration_.quick = options_.quick;
    calibration_.only = options_.only;
    calibration_.least_quiet = extent_.least_quiet;
    for (Experiment& experiment : known_weights()) {
      const bool asked = std::ranges::any_of(
          experiment.weights, [&](const WeightSpec& weight) { return is_asked(weight); });
      if (!asked) continue;
      const std::size_t figures = experiment.weights.size();
      series_.push_back({std::move(experiment), {}});
      series_.back().weighings.resize(figures);
    }
  }

  [[nodiscard]] bool is_asked(const WeightSpec& weight) const {
    return options_.only.empty() || matches_glob(options_.only, weight.id);
  }

  Result<void> weigh_all() {
    if (series_.empty())
      return fail(ErrorCode::usage, fmt::format("no weight is named \"{}\"", options_.only),
                  "--only", fmt::format("Choose among: {}", fmt::join(known_weight_ids(), ", ")));
    WB_CHECK(load::make_room(kMostCredentials, 1, /*over_http=*/true));
    WB_TRY(const auto lab, Lab::open(plan_, options_.supervisor_program));
    WB_CHECK(look_at_the_server(*lab));
    // Twice as often as usual at most: a host that is never quiet would go on until the time is up.
    const int rounds = 2 * std::max(extent_.weighings, 10);
    for (int round = 1; round <= rounds && in_time(); ++round) {
      bool any = false;
      for (Series& series : series_) {
        if (!series.wanted(extent_, options_.quick) || !in_time()) continue;
        any = true;
        WB_CHECK(weigh(*lab, series, round));
        if (os::interrupted()) return fail(ErrorCode::interrupted, "interrupted");
      }
      if (!any) break;
      WB_CHECK(save());
    }
    return {};
  }

  [[nodiscard]] bool in_time() const { return os::now() - begun_ < extent_.longest; }

  Result<void> look_at_the_server(Lab& lab) {
    announce("the reference server", 0);
    const ScenarioSpec spec{"reference server", Transport::http, &plan_.variants.front(), false, 1};
    auto scouted = scout(lab, spec, {});
    if (!scouted) return std::unexpected(lab.redact(scouted.error()));
    WB_TRY([[maybe_unused]] const client::Call null,
           call_of_listed(scouted->tools, "null", "{}", options_.server));
    calibration_.server = fmt::format("{} {}", scouted->server.name, scouted->server.version);
    return {};
  }

  Result<void> weigh(Lab& lab, Series& series, int round) {
    const std::string& name = series.experiment.weights.front().id;
    announce(name, round);
    // The look after one weighing is the look before the next.
    if (!weather_) weather_ = os::probe_weather(kWeatherLength);
    const os::Weather before = *weather_;
    const auto readings = series.experiment.weigh(lab, series.done + 1);
    if (!readings && readings.error().code == ErrorCode::system && series.done == 0) {
      series.given_up = true;
      calibration_.doubts.push_back({record::DoubtKind::missing_source, name,
                                     "not weighed: " + describe(readings.error()),
                                     "What it would show has no known accuracy on this host"});
      return {};
    }
    if (!readings) return std::unexpected(lab.redact(readings.error().within(name)));
    const os::Weather after = os::probe_weather(kWeatherLength);
    weather_ = after;
    record::Weighing weighing;
    weighing.quiet = before.quiet() && after.quiet();
    weighing.lost_share = std::max(before.lost_share, after.lost_share);
    weighing.worst_gap_ms = to_milliseconds(std::max(before.worst_gap, after.worst_gap));
    ++series.done;
    if (weighing.quiet) ++series.quiet;
    for (std::size_t i = 0; i < readings->size(); ++i) {
      const ScaleReading& reading = (*readings)[i];
      const WeightSpec& spec = series.experiment.weights[i];
      weighing.truth = reading.truth;
      weighing.null_measured = reading.null_measured;
      weighing.measured = reading.gross - reading.null_measured;
      series.weighings[i].push_back(weighing);
      observer_.on_note(fmt::format("{}: true {:.5g} {}, measured {:.5g}{}", spec.id,
                                    weighing.truth, spec.unit, weighing.measured,
                                    weighing.quiet ? "" : " (not quiet)"));
    }
    return {};
  }

  void announce(const std::string& weight, int round) {
    Progress progress;
    progress.scenario = weight;
    progress.phase = "weigh";
    progress.step = round;
    progress.steps = round == 0 ? 0 : std::max(round, extent_.weighings);
    progress.elapsed = os::now() - begun_;
    if (round > 1 && round <= extent_.weighings)
      progress.remaining = progress.elapsed / (round - 1) * (extent_.weighings - round + 1);
    observer_.on_progress(progress);
  }

  /// The record as it stands. Null weights first, whatever they were weighed with.
  void sum_up() {
    calibration_.weights.clear();
    for (const bool null : {true, false}) {
      for (const Series& series : series_) {
        for (std::size_t i = 0; i < series.weighings.size(); ++i) {
          const WeightSpec& spec = series.experiment.weights[i];
          if (is_null(spec) != null || !is_asked(spec) || series.weighings[i].empty()) continue;
          calibration_.weights.push_back(weigh_up(spec, series.weighings[i], extent_.least_quiet));
        }
      }
    }
    calibration_.accuracy = accuracy_of(calibration_);
  }

  /// Until the last step the file says that the run is under way, so that one cut short by SIGKILL
  /// cannot pass for complete.
  Result<void> save() {
    sum_up();
    calibration_.status = record::Status::broke_off;
    calibration_.broke_off_because = "the calibration had not ended when this was saved";
    auto saved = observer_.on_step(calibration_);
    calibration_.broke_off_because.clear();
    return saved;
  }

  const CalibrationOptions& options_;
  Observer& observer_;
  Extent extent_;
  plan::Plan plan_;
  Instant begun_{};
  std::vector<Series> series_;
  std::optional<os::Weather> weather_;
  record::Calibration calibration_;
};

}  // namespace

std::vector<std::string> known_weight_ids() {
  std::vector<std::string> ids;
  for (const bool null : {true, false})
    for (const Experiment& experiment : known_weights())
      for (const WeightSpec& weight : experiment.weights)
        if (is_null(weight) == null) ids.push_back(weight.id);
  return ids;
}

CalibrationResult calibrate(const CalibrationOptions& options, Observer& observer) {
  return CalibrationRun(options, observer).run();
}

}  // namespace weighbridge::modes
