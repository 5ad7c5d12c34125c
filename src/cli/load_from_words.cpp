#include "cli/load_from_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/units.h"
#include "base/words.h"
#include "os/affinity.h"

namespace weighbridge::cli {
namespace {

constexpr Duration kUsualDuration = 10s;
/// Where a search begins when nobody says: so slow that any server keeps up.
constexpr double kFirstRate = 10;

std::unexpected<Error> wrong(std::string what, const std::string& where, std::string remedy) {
  return fail(ErrorCode::usage, std::move(what), where, std::move(remedy));
}

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

Result<load::RateSegment> parse_stretch(const std::string& text) {
  constexpr const char* kWhere = "--profile";
  constexpr const char* kRemedy =
      "Write stretches as RATE:DURATION or FROM-TO:DURATION, for example 10-200:30s,200:1m";
  const auto colon = text.find(':');
  if (colon == std::string::npos)
    return wrong(fmt::format("\"{}\" is no stretch of a profile", text), kWhere, kRemedy);
  load::RateSegment segment;
  const std::string rates = text.substr(0, colon);
  const auto dash = rates.find('-', 1);
  const auto from = number_of(rates.substr(0, dash));
  const auto to = dash == std::string::npos ? from : number_of(rates.substr(dash + 1));
  if (!from || !to || *from < 0 || *to < 0)
    return wrong(fmt::format("\"{}\" is no rate", rates), kWhere, kRemedy);
  const auto length = parse_duration(text.substr(colon + 1));
  if (!length || *length <= Duration::zero())
    return wrong(fmt::format("\"{}\" is no length of time", text.substr(colon + 1)), kWhere,
                 kRemedy);
  return load::RateSegment{*from, *to, *length};
}

Result<std::vector<std::string>> read_arguments_file(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    return wrong(fmt::format("cannot read {}", path), "--arguments-file",
                 "Give a file with one JSON object a line");
  std::vector<std::string> lines;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (trim(line).empty()) continue;
    if (!nlohmann::json::parse(line, nullptr, false).is_object())
      return wrong("this line is not a JSON object", fmt::format("{}:{}", path, number),
                   R"(Write for example {"query":"list issues"})");
    lines.emplace_back(trim(line));
  }
  if (lines.empty())
    return wrong(fmt::format("{} holds no arguments", path), "--arguments-file",
                 "Give a file with one JSON object a line");
  return lines;
}

Result<std::vector<int>> cpus_of(const std::string& text, const std::string& flag) {
  auto cpus = os::parse_cpus(text);
  if (!cpus) return std::unexpected(cpus.error().within(flag));
  const std::vector<int> allowed = os::allowed_cpus();
  for (const int cpu : *cpus)
    if (std::ranges::find(allowed, cpu) == allowed.end())
      return wrong(fmt::format("there is no CPU {} to run on", cpu), flag,
                   fmt::format("Choose among {}", os::format_cpus(allowed)));
  return cpus;
}

Result<void> check_together(const LoadWords& words) {
  const bool open =
      !words.rate.empty() || !words.step.empty() || !words.profile.empty() || !words.until.empty();
  const int paces = static_cast<int>(!words.step.empty()) +
                    static_cast<int>(!words.profile.empty()) +
                    static_cast<int>(!words.until.empty());
  if (paces > 1 || (!words.rate.empty() && !words.step.empty()) ||
      (!words.rate.empty() && !words.profile.empty()))
    return wrong("more than one of --rate, --step, --profile and --until was given", {},
                 "Give one; only --until takes a --rate, to begin with");
  if (open && words.think)
    return wrong("--think is for callers who wait for their answers, --rate for those who do not",
                 {}, "Leave one of them out");
  if (open && words.requests)
    return wrong("--requests ends a closed loop; a rate ends with its duration", {},
                 "Give --duration instead");
  if (!open && (words.poisson || words.per_credential))
    return wrong(words.poisson ? "--poisson without a rate" : "--per-credential without a rate", {},
                 "Give --rate");
  if (!words.profile.empty() && words.duration)
    return wrong("a --profile has its own length", {}, "Leave out --duration");
  if (!words.arguments_file.empty() && !words.run.arguments.empty())
    return wrong("both --arguments and --arguments-file were given", {}, "Give one");
  if (words.run.pid && words.target_cpus.size() > 0)
    return wrong("--target-cpus is for a server that is started here", {}, "Leave it out");
  return {};
}

Result<load::Pace> pace_of(const LoadWords& words, double rate) {
  load::Pace pace;
  pace.segments.push_back({rate, rate, words.duration.value_or(kUsualDuration)});
  pace.poisson = words.poisson;
  pace.per_credential = words.per_credential;
  return pace;
}

Result<void> add_steps(const LoadWords& words, modes::LoadOptions& options) {
  const Duration duration = words.duration.value_or(kUsualDuration);
  if (!words.until.empty()) {
    modes::RateSearch& search = options.search.emplace();
    WB_TRY(search.condition, modes::parse_condition(words.until));
    search.first = kFirstRate;
    if (!words.rate.empty()) {
      WB_TRY(search.first, parse_rate(words.rate, "--rate"));
    }
    search.duration = duration;
    search.poisson = words.poisson;
    search.per_credential = words.per_credential;
    return {};
  }
  if (!words.profile.empty()) {
    modes::LoadStepPlan& step = options.steps.emplace_back();
    step.name = words.profile;
    WB_TRY(step.pace.emplace().segments, parse_profile(words.profile));
    step.pace->poisson = words.poisson;
    step.pace->per_credential = words.per_credential;
    return {};
  }
  const bool one_rate = words.step.empty();
  for (const std::string& text : split(one_rate ? words.rate : words.step, ',')) {
    if (text.empty() && one_rate) break;
    WB_TRY(const double rate, parse_rate(text, one_rate ? "--rate" : "--step"));
    modes::LoadStepPlan& step = options.steps.emplace_back();
    step.name = fmt::format("{:.4g}/s", rate);
    WB_TRY(step.pace, pace_of(words, rate));
  }
  if (!options.steps.empty()) return {};
  modes::LoadStepPlan& step = options.steps.emplace_back();
  step.name = "closed loop";
  step.requests = words.requests;
  if (!words.requests || words.duration) step.duration = duration;
  return {};
}

}  // namespace

Result<double> parse_rate(std::string_view text, const std::string& where) {
  constexpr const char* kRemedy = "Write calls a second, as in 500, 0.5 or 30/min";
  std::string_view number = text;
  double unit = 1;
  for (const auto& [ending, seconds] : {std::pair{"/s", 1.0}, std::pair{"/min", 60.0}}) {
    if (!number.ends_with(ending)) continue;
    number.remove_suffix(std::string_view(ending).size());
    unit = seconds;
  }
  const auto rate = number_of(number);
  if (!rate) return wrong(fmt::format("\"{}\" is no rate", text), where, kRemedy);
  if (*rate <= 0) return wrong(fmt::format("a rate of {} sends nothing", text), where, kRemedy);
  return *rate / unit;
}

Result<std::vector<load::RateSegment>> parse_profile(std::string_view text) {
  load::Pace pace;
  for (const std::string& stretch : split(text, ',')) {
    WB_TRY(const load::RateSegment segment, parse_stretch(stretch));
    pace.segments.push_back(segment);
  }
  if (pace.expected_calls() < 1)
    return wrong(fmt::format("the profile \"{}\" sends nothing", text), "--profile",
                 "Write for example 10-200:30s,200:1m");
  return pace.segments;
}

Result<std::vector<modes::MixEntry>> parse_mix(std::string_view text) {
  constexpr const char* kWhere = "--mix";
  constexpr const char* kRemedy = "Write for example tools/list=1,tools/call:NAME=3";
  std::vector<modes::MixEntry> mix;
  double total = 0;
  for (const std::string& part : split(text, ',')) {
    modes::MixEntry entry;
    const auto equals = part.rfind('=');
    const std::string name(trim(part.substr(0, equals)));
    const auto colon = name.find(':');
    entry.method = name.substr(0, colon);
    if (colon != std::string::npos) entry.tool = name.substr(colon + 1);
    const bool call = entry.method == "tools/call";
    if (entry.method.empty() || (!call && colon != std::string::npos) ||
        (call && colon != std::string::npos && entry.tool.empty()))
      return wrong(fmt::format("\"{}\" is no part of a mix", part), kWhere, kRemedy);
    if (equals != std::string::npos) {
      const auto weight = number_of(trim(part.substr(equals + 1)));
      if (!weight || *weight < 0)
        return wrong(fmt::format("\"{}\" is no weight", part.substr(equals + 1)), kWhere, kRemedy);
      entry.weight = *weight;
    }
    total += entry.weight;
    if (entry.weight > 0) mix.push_back(std::move(entry));
  }
  if (total <= 0) return wrong("the mix sums to nothing", kWhere, "Give one part a weight above 0");
  if (mix.size() > load::kMostOperations)
    return wrong(fmt::format("a mix of {} parts", mix.size()), kWhere,
                 fmt::format("At most {} can be told apart", load::kMostOperations));
  return mix;
}

Result<modes::LoadOptions> load_options_from_words(const LoadWords& words) {
  WB_CHECK(check_together(words));
  modes::LoadOptions options;
  options.only = words.run.only;
  options.credentials = words.credentials;
  options.parallel = words.run.parallel;
  options.threads = words.threads;
  options.alternate = words.alternate;
  options.think = words.think.value_or(Duration::zero());
  options.seed = words.seed;
  options.check_every = words.check_every;
  options.spin = words.no_spin ? Duration::zero() : words.spin.value_or(options.spin);
  if (!words.mix.empty()) {
    WB_TRY(options.mix, parse_mix(words.mix));
  }
  if (!words.arguments_file.empty()) {
    WB_TRY(options.arguments, read_arguments_file(words.arguments_file));
  }
  if (!words.driver_cpus.empty()) {
    WB_TRY(options.driver_cpus, cpus_of(words.driver_cpus, "--driver-cpus"));
    if (options.driver_cpus.size() < static_cast<std::size_t>(words.threads))
      return wrong(fmt::format("{} threads on {} cores", words.threads, options.driver_cpus.size()),
                   "--driver-cpus", "Give every thread a core of its own");
  }
  if (!words.target_cpus.empty()) {
    WB_TRY(options.target_cpus, cpus_of(words.target_cpus, "--target-cpus"));
  }
  WB_CHECK(add_steps(words, options));
  return options;
}

}  // namespace weighbridge::cli
