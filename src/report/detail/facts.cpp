#include "report/detail/facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/units.h"
#include "report/numbers.h"
#include "report/wording.h"

namespace weighbridge::report::detail {
namespace {

std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,{}";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

void add_doubt(std::vector<DoubtGroup>& groups, const record::Doubt& doubt) {
  const std::string kind(record::to_string(doubt.kind));
  auto group = std::ranges::find_if(groups, [&](const DoubtGroup& candidate) {
    return candidate.kind == kind && candidate.advice == doubt.advice;
  });
  if (group == groups.end()) {
    const DoubtWording wording = wording_of(doubt.kind);
    groups.push_back(
        {kind, std::string(wording.title), std::string(wording.lost), doubt.advice, {}});
    group = groups.end() - 1;
  }
  group->places.push_back({doubt.where, doubt.message});
}

void add_fact(std::vector<Fact>& facts, std::string name, std::string value) {
  if (!value.empty()) facts.push_back({std::move(name), std::move(value)});
}

std::string as_duration(double seconds) {
  return format_duration(from_seconds(seconds));
}

std::vector<Fact> host_facts(const record::Host& host) {
  std::vector<Fact> facts;
  add_fact(facts, "CPU", host.cpu_model);
  add_fact(facts, "Clock", host.cpu_mhz ? figure(*host.cpu_mhz) + " MHz" : "");
  add_fact(facts, "Governor", host.governor);
  add_fact(facts, "Logical CPUs",
           host.logical_cpus > 0 ? fmt::format("{}", host.logical_cpus) : "");
  add_fact(facts, "Memory", host.memory_gib > 0 ? figure(host.memory_gib) + " GiB" : "");
  add_fact(facts, "Disk", host.disk_kind);
  add_fact(facts, "File system", host.file_system);
  add_fact(facts, "Kernel", host.kernel);
  add_fact(facts, "Distribution", host.distribution);
  add_fact(facts, "Architecture", host.architecture);
  add_fact(facts, "Load average at the start, 1 min",
           host.load_average_1m ? figure(*host.load_average_1m) : "");
  return facts;
}

std::vector<Fact> build_facts(const record::Build& build) {
  std::vector<Fact> facts;
  add_fact(facts, "Weighbridge", build.version);
  add_fact(facts, "Commit", build.commit);
  add_fact(facts, "Compiler", build.compiler);
  add_fact(facts, "Build type", build.build_type);
  return facts;
}

std::string shell_words(const std::vector<std::string>& command) {
  std::vector<std::string> words;
  words.reserve(command.size());
  for (const std::string& word : command) words.push_back(shell_quoted(word));
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace weighbridge::report::detail
