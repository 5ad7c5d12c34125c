#include "cli/progress.h"

#include <fmt/format.h>

#include <ostream>

#include "report/numbers.h"
#include "report/text.h"

namespace weighbridge::cli {
namespace {

constexpr Duration kLeastInterval = 100ms;
constexpr const char* kClearToEnd = "\x1b[J";

std::string cut(const std::string& line, std::size_t width) {
  // A wrapped line would take two rows and leave one behind when the block is taken away.
  return report::printable(line, width > 1 ? width - 2 : 0);
}

std::string step_words(const modes::Progress& progress) {
  return progress.steps > 0 ? fmt::format("[{}/{}] ", progress.step, progress.steps) : "";
}

}  // namespace

std::string spoken(Duration span) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(span).count();
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {:02} min", seconds / 3600, seconds % 3600 / 60);
}

std::vector<std::string> progress_block(const modes::Progress& progress, std::size_t width) {
  std::string place = step_words(progress) + progress.scenario;
  if (!progress.phase.empty()) place += ": " + progress.phase;
  if (progress.elapsed > Duration::zero()) place += ", " + spoken(progress.elapsed);
  if (progress.remaining) place += fmt::format(", about {} left", spoken(*progress.remaining));
  std::vector<std::string> lines = {cut(place, width)};
  std::vector<std::string> figures;
  if (progress.resident_mib)
    figures.push_back(fmt::format("resident {} MiB", report::figure(*progress.resident_mib)));
  if (progress.cpu_percent)
    figures.push_back(fmt::format("CPU {} %", report::figure(*progress.cpu_percent)));
  if (progress.calls > 0)
    figures.push_back(fmt::format("{} call{}", progress.calls, progress.calls == 1 ? "" : "s"));
  if (progress.calls_per_second)
    figures.push_back(fmt::format("{}/s", report::figure(*progress.calls_per_second)));
  if (progress.p50_ms)
    figures.push_back(fmt::format("p50 {} ms", report::figure(*progress.p50_ms)));
  if (progress.p99_ms)
    figures.push_back(fmt::format("p99 {} ms", report::figure(*progress.p99_ms)));
  if (progress.in_flight) figures.push_back(fmt::format("{} in flight", *progress.in_flight));
  if (progress.not_served.value_or(0) > 0)
    figures.push_back(fmt::format("{} not served", *progress.not_served));
  if (!figures.empty()) lines.push_back(cut(fmt::format("{}", fmt::join(figures, ", ")), width));
  return lines;
}

ProgressDisplay::ProgressDisplay(std::ostream& stream, const Screen& screen, const Clock& clock)
    : stream_(stream), screen_(screen), clock_(clock) {}

void ProgressDisplay::show(const modes::Progress& progress) {
  std::string place = step_words(progress) + progress.scenario;
  if (!screen_.terminal) {
    // Before the first step the phase is all there is to say.
    if (progress.steps == 0) place += ": " + progress.phase;
    if (place == place_) return;
    place_ = place;
    stream_ << place_ << std::endl;
    return;
  }
  place += progress.phase;
  const Instant now = clock_.now();
  const bool moved = place != place_;
  if (!moved && drawn_at_ && now - *drawn_at_ < kLeastInterval) return;
  place_ = std::move(place);
  drawn_at_ = now;
  redraw(progress);
}

void ProgressDisplay::redraw(const modes::Progress& progress) {
  clear();
  const std::vector<std::string> lines = progress_block(progress, screen_.width);
  for (const std::string& line : lines) {
    if (screen_.colour)
      stream_ << "\x1b[2m" << line << "\x1b[0m\n";
    else
      stream_ << line << '\n';
  }
  lines_drawn_ = lines.size();
  stream_.flush();
}

void ProgressDisplay::note(const std::string& line) {
  clear();
  stream_ << report::printable(line) << std::endl;
}

void ProgressDisplay::clear() {
  if (lines_drawn_ == 0) return;
  stream_ << fmt::format("\x1b[{}A\r{}", lines_drawn_, kClearToEnd) << std::flush;
  lines_drawn_ = 0;
}

}  // namespace weighbridge::cli
