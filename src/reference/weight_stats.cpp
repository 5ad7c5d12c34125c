#include "reference/weight_stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace weighbridge::reference {

using namespace std::string_view_literals;

namespace {

std::string render(const Effort& effort, std::string_view made) {
  return fmt::format(R"({{"count":{},"{}":{}}})", effort.count, made, effort.made.count());
}

std::string render(const Holding& holding) {
  return fmt::format(R"({{"taken":{},"held":{},"most":{}}})", holding.taken, holding.held,
                     holding.most);
}

/// By nearest rank: the smallest value that at least so great a share of all does not exceed.
Duration percentile(const std::vector<Duration>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

std::string_view to_string(Holder holder) {
  constexpr std::array kNames{"process"sv,    "credential"sv, "session"sv,
                              "connection"sv, "leak"sv,       "peak"sv};
  return kNames[static_cast<std::size_t>(holder)];
}

void Holding::take(std::uint64_t count) {
  taken += count;
  held += count;
  most = std::max(most, held);
}

void WeightStats::delay_made(Duration asked, Duration made, bool keep) {
  delays_.add(made);
  delays_asked_ += asked;
  if (keep) every_delay_.push_back(made);
}

void WeightStats::hold(Holder holder, std::uint64_t bytes) {
  auto& memory = memory_[static_cast<std::size_t>(holder)];
  ++memory.taken;
  memory.bytes += bytes;
  held_bytes_ += bytes;
  most_held_bytes_ = std::max(most_held_bytes_, held_bytes_);
}

void WeightStats::release(Holder holder, std::uint64_t bytes) {
  memory_[static_cast<std::size_t>(holder)].bytes -= bytes;
  held_bytes_ -= bytes;
}

std::string WeightStats::render_delays() const {
  std::string text = fmt::format(R"({{"count":{},"asked_ns":{},"made_ns":{})", delays_.count,
                                 delays_asked_.count(), delays_.made.count());
  if (!every_delay_.empty()) {
    auto sorted = every_delay_;
    std::ranges::sort(sorted);
    text += fmt::format(R"(,"p50_ns":{},"p90_ns":{},"p99_ns":{},"max_ns":{})",
                        percentile(sorted, 0.5).count(), percentile(sorted, 0.9).count(),
                        percentile(sorted, 0.99).count(), sorted.back().count());
  }
  text += R"(,"values_ns":[)";
  for (const auto& delay : every_delay_)
    text += fmt::format("{}{}", &delay == &every_delay_.front() ? "" : ",", delay.count());
  return text + "]}";
}

std::string WeightStats::render_memory() const {
  std::string text =
      fmt::format(R"({{"held_bytes":{},"most_held_bytes":{})", held_bytes_, most_held_bytes_);
  for (std::size_t i = 0; i < kHolders; ++i)
    text += fmt::format(R"(,"{}":{{"taken":{},"bytes":{}}})", to_string(static_cast<Holder>(i)),
                        memory_[i].taken, memory_[i].bytes);
  return text + "}";
}

std::string WeightStats::render_freezes() const {
  Duration frozen{};
  std::string spans;
  for (const auto& freeze : freezes) {
    frozen += freeze.length;
    spans += fmt::format("{}{{\"after_start_ns\":{},\"length_ns\":{}}}", spans.empty() ? "" : ",",
                         freeze.after_start.count(), freeze.length.count());
  }
  return fmt::format(R"({{"count":{},"frozen_ns":{},"freezes":[{}]}})", freezes.size(),
                     frozen.count(), spans);
}

std::string WeightStats::render() const {
  using reference::render;
  std::string text =
      fmt::format(R"({{"delay":{},"cpu":{},"list_cpu":{},"start":{{"cpu_ns":{},"delay_ns":{}}},)"
                  R"("memory":{},"freeze":{},)",
                  render_delays(), render(call_cpu, "burnt_ns"), render(list_cpu, "burnt_ns"),
                  start_cpu.count(), start_delay.count(), render_memory(), render_freezes());
  text += fmt::format(R"("descriptors":{},"threads":{},"children":{},"failures":{},)",
                      render(descriptors), render(threads), render(children), failures);
  return text + fmt::format(R"("queued":{{"count":{},"waited_ns":{},"most":{}}},)"
                            R"("first_byte":{},"trickle":{},"chunks":{}}})",
                            queued.count, queued.made.count(), most_queued,
                            render(first_bytes, "made_ns"), render(trickles, "made_ns"), chunks);
}

}  // namespace weighbridge::reference
