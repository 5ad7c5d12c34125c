#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"

namespace weighbridge::os {

/// Facts of the machine that a reader needs to judge a figure. Unknown is empty or nullopt, never
/// zero.
struct HostFacts {
  std::string cpu_model;
  std::optional<double> cpu_mhz;
  int logical_cpus = 0;
  std::uint64_t memory_bytes = 0;
  std::string disk_kind;    ///< "ssd", "hdd", "virtual", "network" or empty
  std::string file_system;  ///< of the working directory
  std::string kernel;
  std::string distribution;
  std::string architecture;
  std::string governor;  ///< cpufreq governor, if the kernel shows one
};

/// `root` is "/" or a captured tree in tests.
HostFacts read_host_facts(const std::string& root = "/");

/// How busy the host was with other things.
struct HostLoad {
  std::optional<double> load_average_1m;
  std::optional<double> steal_seconds;  ///< cumulative since boot, all cores
  std::optional<std::uint64_t> available_bytes;
};
HostLoad read_host_load(const std::string& root = "/");

/// The weather probe: spins for `length` reading the clock, and counts every gap over 10 us as time
/// that something else took. Used around a phase, never inside: it burns the core it runs on.
struct Weather {
  double lost_share = 0;  ///< share of the time lost to gaps over 10 us, 0…1
  Duration worst_gap{};
  Duration length{};
  /// method.md, "Quiet host": under 2 % lost and no gap over 20 ms.
  [[nodiscard]] bool quiet() const { return lost_share < 0.02 && worst_gap <= 20ms; }
};
Weather probe_weather(Duration length);

}  // namespace weighbridge::os
