#include "os/host.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "base/words.h"
#include "os/mounts.h"
#include "os/read_file.h"
#include "os/real_clock.h"

namespace weighbridge::os {
namespace {

constexpr std::uint64_t kKib = 1024;

/// The root without its closing slash, so that "/proc/…" can follow.
std::string base_of(const std::string& root) {
  return root.ends_with('/') ? root.substr(0, root.size() - 1) : root;
}

std::optional<double> to_double(std::string_view text) {
  double number = 0;
  text = trim(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

/// The value of the first "name   : value" line; empty when there is none.
std::string field(std::string_view text, std::string_view name, char separator = ':') {
  for (const std::string& line : split(text, '\n')) {
    const std::size_t at = line.find(separator);
    if (at != std::string::npos && trim(std::string_view(line).substr(0, at)) == name)
      return std::string(trim(std::string_view(line).substr(at + 1)));
  }
  return {};
}

std::optional<std::uint64_t> kib_field(std::string_view text, std::string_view name) {
  const std::string value = field(text, name);
  std::uint64_t kib = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), kib);
  return error == std::errc() ? std::optional(kib * kKib) : std::nullopt;
}

void read_processor(const std::string& base, HostFacts& facts) {
  const std::string text = read_file(base + "/proc/cpuinfo").value_or("");
  facts.cpu_model = field(text, "model name");
  // ARM kernels print no model name; some boards name the chip once, at the end.
  if (facts.cpu_model.empty()) facts.cpu_model = field(text, "Hardware");
  if (facts.cpu_model.empty()) facts.cpu_model = field(text, "CPU part");
  facts.cpu_mhz = to_double(field(text, "cpu MHz"));
  for (const std::string& line : split(text, '\n'))
    if (line.starts_with("processor") && line.find(':') != std::string::npos) ++facts.logical_cpus;
  facts.governor =
      read_trimmed(base + "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").value_or("");
}

bool is_network_file_system(std::string_view type) {
  constexpr std::array<std::string_view, 8> kTypes{"nfs",  "nfs4", "cifs", "smb3",
                                                   "ceph", "9p",   "afs",  "fuse.sshfs"};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

/// The block device's own word for whether it rotates; a virtual disk's word for it is worth
/// nothing, as it tells what the host behind it chose to say.
std::string disk_kind_of(const std::string& base, const Mount& mount) {
  if (is_network_file_system(mount.type)) return "network";
  const std::string name = mount.source.substr(mount.source.rfind('/') + 1);
  if (name.starts_with("vd") || name.starts_with("xvd")) return "virtual";
  // By number; by name where the number is the file system's own, as with btrfs. A partition has no
  // queue: its disk is one directory up.
  std::optional<std::string> rotational;
  for (const std::string& device : {"/sys/dev/block/" + mount.device, "/sys/class/block/" + name})
    for (const char* queue : {"/queue/rotational", "/../queue/rotational"})
      if (!rotational) rotational = read_trimmed(base + device + queue);
  if (!rotational) return {};
  return *rotational == "0" ? "ssd" : "hdd";
}

void read_storage(const std::string& base, HostFacts& facts) {
  std::array<char, 4096> directory{};
  const ssize_t length =
      ::readlink((base + "/proc/self/cwd").c_str(), directory.data(), directory.size() - 1);
  if (length <= 0) return;
  const auto mounts = parse_mountinfo(read_file(base + "/proc/self/mountinfo").value_or(""));
  const Mount* const mount = mount_of(directory.data(), mounts);
  if (mount == nullptr) return;
  facts.file_system = mount->type;
  facts.disk_kind = disk_kind_of(base, *mount);
}

std::string without_quotes(std::string text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    return text.substr(1, text.size() - 2);
  return text;
}

}  // namespace

HostFacts read_host_facts(const std::string& root) {
  const std::string base = base_of(root);
  HostFacts facts;
  read_processor(base, facts);
  facts.memory_bytes =
      kib_field(read_file(base + "/proc/meminfo").value_or(""), "MemTotal").value_or(0);
  read_storage(base, facts);
  facts.kernel = read_trimmed(base + "/proc/sys/kernel/osrelease").value_or("");
  const std::string release = read_file(base + "/etc/os-release").value_or("");
  facts.distribution = without_quotes(field(release, "PRETTY_NAME", '='));
  // The file is there since Linux 6.1; before, the running kernel can only be asked.
  facts.architecture = read_trimmed(base + "/proc/sys/kernel/arch").value_or("");
  utsname running{};
  if (facts.architecture.empty() && base.empty() && ::uname(&running) == 0)
    facts.architecture = running.machine;
  return facts;
}

HostLoad read_host_load(const std::string& root) {
  const std::string base = base_of(root);
  HostLoad load;
  load.load_average_1m = to_double(read_file(base + "/proc/loadavg").value_or(""));
  // "cpu user nice system idle iowait irq softirq steal …", in clock ticks, after two spaces.
  constexpr std::size_t kSteal = 9;
  const auto words = split(split(read_file(base + "/proc/stat").value_or(""), '\n').front(), ' ');
  if (words.size() > kSteal && words[0] == "cpu")
    if (const auto ticks = to_double(words[kSteal]))
      load.steal_seconds = *ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
  load.available_bytes = kib_field(read_file(base + "/proc/meminfo").value_or(""), "MemAvailable");
  return load;
}

Weather probe_weather(Duration length) {
  constexpr Duration kGap = 10us;  // far above what reading the clock takes, 22 ns
  Weather weather;
  Duration lost{};
  const Instant start = now();
  Instant before = start;
  for (Instant after = start; after - start < length; before = after) {
    after = now();
    const Duration gap = after - before;
    if (gap <= kGap) continue;
    lost += gap;
    weather.worst_gap = std::max(weather.worst_gap, gap);
  }
  weather.length = before - start;
  if (weather.length > 0ns) weather.lost_share = to_seconds(lost) / to_seconds(weather.length);
  return weather;
}

}  // namespace weighbridge::os
