#pragma once

#include <optional>
#include <string>
#include <vector>

#include "load/spec.h"
#include "modes/observer.h"
#include "plan/plan.h"
#include "record/load_record.h"

namespace weighbridge::modes {

/// One entry of a mix, as the words name it.
struct MixEntry {
  std::string method;  ///< "tools/call", "tools/list", …
  std::string tool;    ///< of tools/call; empty: the plan's, or the one that is chosen
  double weight = 1;
};

/// What one step does differently from the others.
struct LoadStepPlan {
  std::string name;
  std::optional<load::Pace> pace;  ///< absent: closed loop
  std::optional<Duration> duration;
  std::optional<std::uint64_t> requests;
};

/// Something that a step may not show: "p99>200ms", "failed>1%", "hung>0".
struct Condition {
  enum class Figure { p50, p90, p99, p999, max, refused, failed, hung };
  Figure figure = Figure::p99;
  double limit = 0;  ///< milliseconds; calls, or their share of the sent ones where `share`
  bool share = false;
  std::string words;  ///< as it was written
};
/// ErrorCode::usage.
Result<Condition> parse_condition(std::string_view text);
/// Whether the step shows it. A p99 that the samples do not support is replaced by the maximum.
bool comes_true(const Condition& condition, const record::LoadStep& step);

/// Doubles the rate from `first` on until the condition comes true or the server no longer keeps
/// up, then halves the stretch in between until its ends are within a twentieth.
struct RateSearch {
  Condition condition;
  double first = 0;
  Duration duration{};
  bool poisson = false;
  bool per_credential = false;
};

struct LoadOptions {
  std::string supervisor_program;
  record::Build build;
  std::optional<record::Accuracy> accuracy;  ///< of this host and build
  std::string only;                          ///< glob of scenario ids where the plan has several
  int credentials = 1;
  std::optional<int> parallel;  ///< absent: the plan's in closed loop, 64 in open loop
  int threads = 1;
  std::vector<MixEntry> mix;           ///< empty: tools/call of the one tool, else tools/list
  std::vector<std::string> arguments;  ///< JSON objects taken in turn; empty: the plan's
  bool alternate = false;
  Duration think{};
  std::uint64_t seed = 1;
  std::uint32_t check_every = 64;
  Duration spin = 150us;
  std::vector<int> driver_cpus;
  std::vector<int> target_cpus;
  std::vector<LoadStepPlan> steps;
  std::optional<RateSearch> search;  ///< instead of steps
};

/// What was measured, and why it ended early if it did. The record is valid either way.
struct LoadRunResult {
  record::LoadRecord record;
  std::optional<Error> error;
};

/// Drives one server with the load engine, step by step, each between two looks at the weather.
LoadRunResult run_load(const plan::Plan& plan, const LoadOptions& options, Observer& observer);

}  // namespace weighbridge::modes
