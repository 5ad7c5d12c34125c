#include "modes/known_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/units.h"
#include "load/schedule.h"
#include "modes/specimen.h"
#include "os/real_clock.h"
#include "stats/growth.h"
#include "stats/least_squares.h"
#include "stats/samples.h"

// Long because it is a catalogue: each weight's figure, truth and null stand side by side.
namespace weighbridge::modes {
namespace {

using Readings = Result<std::vector<ScaleReading>>;

double to_kib_of(std::uint64_t bytes) {
  return to_kib(static_cast<double>(bytes));
}

Result<double> latency_ms(const load::PhaseOutcome& outcome, double q) {
  const stats::Samples latencies = load::collect(
      outcome.samples, [](const auto&) { return true; },
      [](const load::Sample::Parts& sample) { return sample.latency; });
  return static_cast<double>(latencies.percentile(q).value_or(0)) / 1e6;
}

/// Closed loop of `requests` calls.
load::Spec calls_of(const std::string& arguments, std::uint64_t requests) {
  load::Spec spec;
  spec.operations = {null_call(arguments)};
  spec.requests = requests;
  return spec;
}

// Memory held by credentials
// ----------------------------------------------------------------------

constexpr std::array kCredentialSteps{1, 2, 5, 10, 20, 50, 100, 200, kMostCredentials};
/// A server that has answered is done with memory at once; what is left is the kernel's own
/// book-keeping of pages.
constexpr Duration kAfterCalls = 10ms;

struct HeldSlope {
  double kib = 0;        ///< per credential
  double truth_kib = 0;  ///< likewise
};

Result<HeldSlope> held_slope(Lab& lab, const std::vector<std::string>& weights) {
  WB_TRY(const auto specimen, Specimen::start(lab, weights));
  std::vector<double> credentials;
  std::vector<double> resident;
  int attached = 0;
  for (const int step : kCredentialSteps) {
    for (; attached < step; ++attached) {
      WB_TRY(client::Session* const session, specimen->attach());
      WB_CHECK(specimen->call(*session, "{}"));
    }
    lab.rest(kAfterCalls);
    credentials.push_back(step);
    resident.push_back(to_kib_of(specimen->sampler().read_now().resident_bytes));
  }
  WB_TRY(const Truth truth, specimen->truth());
  WB_TRY(const double held, truth.number("/weights/memory/credential/bytes"));
  WB_TRY(const double seen, truth.number("/credentials_seen"));
  const auto line = stats::least_squares(credentials, resident);
  return HeldSlope{line ? line->slope.value : 0, to_kib(held / std::max(seen, 1.0))};
}

Experiment held_memory(const std::string& id, const std::string& size, const std::string& what) {
  Experiment experiment;
  WeightSpec weight{id, what, "memory", "KiB"};
  if (size.empty())
    weight.bound = 0.5;
  else
    weight.bound_percent = 1;
  experiment.weights = {weight};
  experiment.weigh = [size](Lab& lab, int) -> Readings {
    WB_TRY(const HeldSlope null, held_slope(lab, {}));
    std::vector<std::string> weights;
    if (!size.empty()) weights.push_back("--weight-hold=" + size);
    WB_TRY(const HeldSlope gross, held_slope(lab, weights));
    return std::vector<ScaleReading>{{gross.truth_kib, null.kib, gross.kib}};
  };
  return experiment;
}

// A peak between two samples
// ----------------------------------------------------------------------

/// How far the high-water mark of one call rises above what was resident before it, MiB.
Result<double> rise_of(Specimen& specimen, client::Session& session, const std::string& arguments) {
  const double before = to_mib(static_cast<double>(specimen.sampler().read_now().resident_bytes));
  if (!specimen.sampler().reset_high_water())
    return fail(ErrorCode::system, "the kernel does not let the high-water mark be reset");
  WB_CHECK(specimen.call(session, arguments));
  specimen.lab().rest(30ms);
  const auto mark = specimen.sampler().read_now().high_water_bytes;
  if (!mark) return fail(ErrorCode::system, "the kernel tells no high-water mark");
  return to_mib(static_cast<double>(*mark)) - before;
}

Experiment memory_peak() {
  Experiment experiment;
  experiment.weights = {{.id = "memory-peak",
                         .what = "64 MiB for 20 ms, between two samples: high-water mark",
                         .kind = "memory",
                         .unit = "MiB",
                         .bound_percent = 2}};
  experiment.weigh = [](Lab& lab, int) -> Readings {
    WB_TRY(const auto specimen, Specimen::start(lab, {}));
    WB_TRY(client::Session* const session, specimen->attach());
    for (int i = 0; i < 10; ++i) {
      WB_CHECK(specimen->call(*session, "{}"));
    }
    WB_TRY(const double null, rise_of(*specimen, *session, "{}"));
    WB_TRY(const double gross, rise_of(*specimen, *session, R"({"peak":"64MiB/20ms"})"));
    WB_TRY(const Truth truth, specimen->truth());
    WB_TRY(const double most, truth.number("/weights/memory/most_held_bytes"));
    return std::vector<ScaleReading>{{to_mib(most), null, gross}};
  };
  return experiment;
}

// Processor time of calls
// ----------------------------------------------------------------------

/// Milliseconds of the server's processor time per call of a phase.
Result<double> cpu_of(Specimen& specimen, const load::Spec& spec) {
  const Duration before = specimen.sampler().read_now().cpu;
  WB_TRY(const load::PhaseOutcome outcome, specimen.load(spec));
  const Duration after = specimen.sampler().read_now().cpu;
  return to_milliseconds(after - before) / static_cast<double>(outcome.completed());
}

Experiment processor_time(WeightSpec weight, int credentials, int parallel, bool burns) {
  Experiment experiment;
  experiment.weights = {std::move(weight)};
  experiment.weigh = [=](Lab& lab, int) -> Readings {
    constexpr std::uint64_t kCalls = 100;
    constexpr std::uint64_t kNullCalls = 1000;
    WB_TRY(const auto specimen, Specimen::start(lab, {}));
    WB_CHECK(specimen->open_engine(credentials, parallel));
    WB_TRY([[maybe_unused]] const auto warm, specimen->load(calls_of("{}", 200)));
    // As many in flight in both, and no pause: a server that is woken for a call serves it for more
    // than one that is awake.
    WB_TRY(const double null, cpu_of(*specimen, calls_of("{}", kNullCalls)));
    WB_TRY(const double gross, cpu_of(*specimen, burns ? calls_of(R"({"cpu":"5ms"})", kCalls)
                                                       : calls_of("{}", kNullCalls)));
    WB_TRY(const Truth truth, specimen->truth());
    WB_TRY(const double burnt, truth.number("/weights/cpu/burnt_ns"));
    WB_TRY(const double count, truth.number("/weights/cpu/count"));
    return std::vector<ScaleReading>{{burnt / std::max(count, 1.0) / 1e6, null, gross}};
  };
  return experiment;
}

// Latency
// ----------------------------------------------------------------------

WeightSpec latency_spec(const std::string& id, const std::string& what, bool null = false) {
  WeightSpec spec{id, what, "latency", "ms"};
  spec.bound = 0.3;
  if (!null) spec.bound_percent = 1;
  return spec;
}

/// Open loop, evenly: callers in a closed loop of constant delays march in step, and one call then
/// waits for the others in the server.
load::Spec paced_calls(double rate, Duration length) {
  load::Spec spec;
  spec.operations = {null_call("{}")};
  spec.pace = load::Pace{.segments = {{rate, rate, length}}};
  return spec;
}

/// Percentiles of a phase of delayed calls against those of the delays that were really made. The
/// null is the median of calls without delay at the same rate: what calling itself takes.
Experiment delays(std::vector<WeightSpec> weights, std::vector<double> quantiles,
                  const std::string& delay, Duration length) {
  Experiment experiment;
  experiment.weights = std::move(weights);
  experiment.weigh = [=](Lab& lab, int number) -> Readings {
    constexpr double kRate = 1000;
    const auto phase_of = [&](const std::vector<std::string>& flags,
                              Duration lasting) -> Result<std::pair<load::PhaseOutcome, Truth>> {
      WB_TRY(const auto specimen, Specimen::start(lab, flags));
      WB_CHECK(specimen->open_engine(4, 64));
      WB_TRY(load::PhaseOutcome phase, specimen->load(paced_calls(kRate, lasting)));
      WB_TRY(Truth truth, specimen->truth());
      return std::pair(std::move(phase), std::move(truth));
    };
    WB_TRY(const auto idle, phase_of({}, 300ms));
    WB_TRY(const double null, latency_ms(idle.first, 0.5));
    std::vector<std::string> flags{"--stats-delays", fmt::format("--seed={}", number)};
    if (!delay.empty()) flags.push_back("--weight-delay=" + delay);
    WB_TRY(const auto weighted, phase_of(flags, length));
    WB_TRY(const std::vector<double> made, weighted.second.numbers("/weights/delay/values_ns"));
    std::vector<ScaleReading> readings;
    for (const double q : quantiles) {
      WB_TRY(const double gross, latency_ms(weighted.first, q));
      readings.push_back({percentile_of(made, q) / 1e6, null, gross});
    }
    return readings;
  };
  return experiment;
}

// Growth
// ----------------------------------------------------------------------

struct Leak {
  double kib_per_call = 0;
  bool grows = false;
};

Result<Leak> leak_of(Specimen& specimen, const std::string& arguments) {
  constexpr std::uint64_t kBatch = 50;
  constexpr int kBatches = 32;
  std::vector<double> calls;
  std::vector<double> resident;
  for (int batch = 1; batch <= kBatches; ++batch) {
    WB_TRY([[maybe_unused]] const auto phase, specimen.load(calls_of(arguments, kBatch)));
    calls.push_back(static_cast<double>(kBatch) * batch);
    resident.push_back(to_kib_of(specimen.sampler().read_now().resident_bytes));
  }
  const auto line = stats::least_squares(calls, resident);
  const auto verdict = stats::growth(calls, resident);
  return Leak{line ? line->slope.value : 0, verdict && verdict->grows};
}

Experiment growth() {
  Experiment experiment;
  experiment.weights = {{.id = "null-growth",
                         .what = "no leak: runs of 1600 calls that are told to grow",
                         .kind = "growth",
                         .unit = "runs",
                         .truth_from = "flag",
                         .told = true,
                         .bound = 1},
                        {.id = "leak-slope",
                         .what = "4 KiB leaked per call, slope over 1600 calls",
                         .kind = "growth",
                         .unit = "KiB",
                         .bound_percent = 5},
                        {.id = "leak-told",
                         .what = "4 KiB leaked per call: runs that are told to grow",
                         .kind = "growth",
                         .unit = "runs",
                         .truth_from = "flag",
                         .told = true,
                         .bound = 1}};
  experiment.weighings = 20;
  experiment.weigh = [](Lab& lab, int) -> Readings {
    WB_TRY(const auto specimen, Specimen::start(lab, {}));
    WB_CHECK(specimen->open_engine(1, 4));
    WB_TRY([[maybe_unused]] const auto warm, specimen->load(calls_of("{}", 2000)));
    WB_TRY(const Leak null, leak_of(*specimen, "{}"));
    WB_TRY(const Leak gross, leak_of(*specimen, R"({"leak":"4KiB"})"));
    WB_TRY(const Truth truth, specimen->truth());
    WB_TRY(const double bytes, truth.number("/weights/memory/leak/bytes"));
    WB_TRY(const double taken, truth.number("/weights/memory/leak/taken"));
    return std::vector<ScaleReading>{
        {0, 0, null.grows ? 1.0 : 0.0},
        {to_kib(bytes / std::max(taken, 1.0)), null.kib_per_call, gross.kib_per_call},
        {1, 0, gross.grows ? 1.0 : 0.0}};
  };
  return experiment;
}

// Things of the kernel
// ----------------------------------------------------------------------

struct Things {
  double descriptors = 0;
  double threads = 0;
};

/// Of the tree while a call of every session is held back.
Result<Things> held_things(Specimen& specimen, const std::vector<client::Session*>& sessions,
                           const std::string& arguments) {
  constexpr Duration kMidst = 120ms;
  std::size_t answered = 0;
  for (client::Session* const session : sessions)
    session->start({"tools/call", null_call(arguments).params.front(), "null"}, os::now() + 10s,
                   [&](client::Reply&&) { ++answered; });
  specimen.lab().rest(kMidst);
  const sampling::TreeSample midst = specimen.sampler().read_now();
  specimen.lab().poller().run_until([&] { return answered == sessions.size(); }, os::now() + 10s);
  return Things{static_cast<double>(midst.descriptors.value_or(0)),
                static_cast<double>(midst.threads)};
}

Experiment things() {
  Experiment experiment;
  const auto spec = [](const char* id, const char* what) {
    return WeightSpec{.id = id, .what = what, .kind = "things", .unit = "each", .bound = 0};
  };
  experiment.weights = {spec("held-descriptors", "7 descriptors per held call, 8 calls held"),
                        spec("held-threads", "3 threads per held call, 8 calls held")};
  experiment.weigh = [](Lab& lab, int) -> Readings {
    constexpr int kCalls = 8;
    WB_TRY(const auto specimen, Specimen::start(lab, {}));
    std::vector<client::Session*> sessions;
    for (int i = 0; i < kCalls; ++i) {
      WB_TRY(client::Session* const session, specimen->attach());
      WB_CHECK(specimen->call(*session, "{}"));
      sessions.push_back(session);
    }
    WB_TRY(const Things null, held_things(*specimen, sessions, R"({"delay":"250ms"})"));
    WB_TRY(const Things gross,
           held_things(*specimen, sessions, R"({"delay":"250ms","fds":7,"threads":3})"));
    WB_TRY(const Truth truth, specimen->truth());
    WB_TRY(const double descriptors, truth.number("/weights/descriptors/most"));
    WB_TRY(const double threads, truth.number("/weights/threads/most"));
    return std::vector<ScaleReading>{
        {descriptors / kCalls, null.descriptors / kCalls, gross.descriptors / kCalls},
        {threads / kCalls, null.threads / kCalls, gross.threads / kCalls}};
  };
  return experiment;
}

// The start
// ----------------------------------------------------------------------

struct Start {
  double ready_ms = 0;
  double cpu_ms = 0;
};

Result<Start> start_of(Specimen& specimen) {
  return Start{to_milliseconds(specimen.ready()),
               to_milliseconds(specimen.sampler().read_now().cpu)};
}

Experiment start(WeightSpec weight, const std::string& flag, const std::string& truth_at,
                 double Start::* figure) {
  Experiment experiment;
  experiment.weights = {std::move(weight)};
  experiment.weigh = [=](Lab& lab, int) -> Readings {
    WB_TRY(auto specimen, Specimen::start(lab, {}));
    WB_TRY(const Start null, start_of(*specimen));
    specimen.reset();
    WB_TRY(specimen, Specimen::start(lab, {flag}));
    WB_TRY(const Start gross, start_of(*specimen));
    WB_TRY(const Truth truth, specimen->truth());
    WB_TRY(const double done, truth.number(truth_at));
    return std::vector<ScaleReading>{{done / 1e6, null.*figure, gross.*figure}};
  };
  return experiment;
}

// Freezes in open loop
// ----------------------------------------------------------------------

Experiment freezes() {
  Experiment experiment;
  experiment.weights = {{.id = "freeze-p99",
                         .what = "100 ms standing still in every 500 ms, open loop of 1000/s: p99",
                         .kind = "freeze",
                         .unit = "ms",
                         .bound_percent = 5}};
  experiment.weigh = [](Lab& lab, int) -> Readings {
    constexpr double kRate = 1000;
    constexpr double kQuantile = 0.99;
    const load::Spec spec = paced_calls(kRate, 1s);
    WB_TRY(auto specimen, Specimen::start(lab, {}));
    WB_CHECK(specimen->open_engine(4, 64));
    WB_TRY(const auto idle, specimen->load(paced_calls(kRate, 300ms)));
    WB_TRY(const double null, latency_ms(idle, 0.5));
    WB_TRY(specimen, Specimen::start(lab, {"--weight-freeze=100ms/500ms"}));
    WB_CHECK(specimen->open_engine(4, 64));
    // The first call makes tables that are needed once, and begins the first freeze.
    WB_TRY(client::Session* const first, specimen->attach());
    WB_CHECK(specimen->call(*first, "{}"));
    WB_TRY(const auto phase, specimen->load(spec));
    WB_TRY(const double gross, latency_ms(phase, kQuantile));
    WB_TRY(const Truth truth, specimen->truth());
    WB_TRY(const auto spans, truth.freezes());
    std::vector<StandStill> stood;
    for (const Truth::Span& span : spans) stood.push_back({span.begin, span.end});
    std::vector<Instant> due;
    load::Schedule schedule(*spec.pace, 1, spec.seed);
    while (const auto next = schedule.next()) due.push_back(phase.begin + *next);
    return std::vector<ScaleReading>{
        {percentile_of(frozen_latencies_ms(due, stood, null), kQuantile), null, gross}};
  };
  return experiment;
}

}  // namespace

double percentile_of(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[stats::nearest_rank(q, values.size()) - 1];
}

std::vector<double> frozen_latencies_ms(const std::vector<Instant>& due,
                                        const std::vector<StandStill>& freezes, double service_ms) {
  const Duration service = from_seconds(service_ms / 1e3);
  std::vector<double> latencies;
  latencies.reserve(due.size());
  for (const Instant at : due) {
    double latency = 0;
    for (const StandStill& freeze : freezes)
      if (at + service >= freeze.begin && at < freeze.end)
        latency = to_milliseconds(freeze.end - at);
    latencies.push_back(latency);
  }
  return latencies;
}

std::vector<Experiment> known_weights() {
  const WeightSpec cpu{.kind = "cpu", .unit = "ms", .bound_percent = 2};
  const auto cpu_spec = [&](const char* id, const char* what) {
    WeightSpec spec = cpu;
    spec.id = id;
    spec.what = what;
    return spec;
  };
  WeightSpec null_cpu = cpu_spec("null-cpu", "no processor time burnt, 1 in flight");
  null_cpu.bound = 0.1;
  null_cpu.bound_percent.reset();
  WeightSpec start_delay{"start-delay", "standing still for 300 ms at the start: ready", "start",
                         "ms"};
  start_delay.bound = 5;
  WeightSpec start_cpu{"start-cpu", "200 ms of processor time at the start", "start", "ms"};
  start_cpu.bound_percent = 2;
  return {
      held_memory("null-memory", "", "nothing held, slope over 1…500 credentials"),
      processor_time(null_cpu, 1, 1, false),
      delays({latency_spec("null-latency", "no delay: p50", true)}, {0.5}, "", 300ms),
      growth(),
      held_memory("memory-50k", "50KiB", "50 KiB held per credential, slope over 1…500"),
      held_memory("memory-64k", "64KiB", "64 KiB held per credential, slope over 1…500"),
      memory_peak(),
      processor_time(cpu_spec("cpu-1", "5 ms per call, 1 in flight"), 1, 1, true),
      processor_time(cpu_spec("cpu-64", "5 ms per call, 64 in flight"), 16, 4, true),
      delays({latency_spec("delay-constant-p50", "constant delay of 10 ms: p50")}, {0.5}, "10ms",
             400ms),
      delays({latency_spec("delay-exponential-p50", "exponential delay, mean 20 ms: p50"),
              latency_spec("delay-exponential-p90", "the same: p90"),
              latency_spec("delay-exponential-p99", "the same: p99")},
             {0.5, 0.9, 0.99}, "exponential:20ms", 1s),
      things(),
      start(start_delay, "--weight-start-delay=300ms", "/weights/start/delay_ns", &Start::ready_ms),
      start(start_cpu, "--weight-start-cpu=200ms", "/weights/start/cpu_ns", &Start::cpu_ms),
      freezes(),
  };
}

}  // namespace weighbridge::modes
