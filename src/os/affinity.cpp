#include "os/affinity.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "base/words.h"
#include "os/read_file.h"

namespace weighbridge::os {
namespace {

std::unexpected<Error> no_cpus(std::string_view text) {
  return fail(ErrorCode::usage, fmt::format("\"{}\" is no list of CPUs", text), {},
              "Write for example 0-2,5");
}

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (number < 0 || number >= CPU_SETSIZE) return std::nullopt;
  return number;
}

}  // namespace

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

Result<void> pin_this_thread(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  if (::sched_setaffinity(0, sizeof set, &set) == 0) return {};
  Error error = system_error(fmt::format("cannot run on CPU {}", format_cpus(cpus)), errno);
  error.code = ErrorCode::usage;
  error.remedy = fmt::format("Choose among {}", format_cpus(allowed_cpus()));
  return std::unexpected(std::move(error));
}

Result<std::vector<int>> parse_cpus(std::string_view text) {
  std::vector<int> cpus;
  for (const std::string& part : split(text, ',')) {
    const auto dash = part.find('-');
    const auto low = number_of(std::string_view(part).substr(0, dash));
    const auto high =
        dash == std::string::npos ? low : number_of(std::string_view(part).substr(dash + 1));
    if (!low || !high || *low > *high) return no_cpus(text);
    for (int cpu = *low; cpu <= *high; ++cpu) cpus.push_back(cpu);
  }
  std::ranges::sort(cpus);
  const auto twice = std::ranges::unique(cpus);
  cpus.erase(twice.begin(), twice.end());
  return cpus;
}

std::string format_cpus(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == i ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[last]);
    i = last + 1;
  }
  return text;
}

Duration thread_wait_for_core() {
  // "time on the core, time waiting for it, turns", in nanoseconds.
  const auto text = read_file("/proc/thread-self/schedstat");
  if (!text) return {};
  const auto fields = split(*text, ' ');
  long long waited = 0;
  if (fields.size() > 1)
    std::from_chars(fields[1].data(), fields[1].data() + fields[1].size(), waited);
  return Duration(waited);
}

}  // namespace weighbridge::os
