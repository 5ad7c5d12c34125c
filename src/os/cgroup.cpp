#include "os/cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <vector>

#include "base/words.h"
#include "os/mounts.h"
#include "os/read_file.h"

namespace weighbridge::os {

std::optional<CgroupCpu> parse_cgroup_cpu(std::string_view cpu_stat) {
  CgroupCpu cpu;
  bool found = false;
  for (const std::string& line : split(cpu_stat, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() != 2) continue;
    long long microseconds = 0;
    std::from_chars(words[1].data(), words[1].data() + words[1].size(), microseconds);
    const auto span = std::chrono::microseconds(microseconds);
    if (words[0] == "usage_usec") {
      cpu.total = span;
      found = true;
    } else if (words[0] == "user_usec") {
      cpu.user = span;
    } else if (words[0] == "system_usec") {
      cpu.system = span;
    }
  }
  return found ? std::optional(cpu) : std::nullopt;
}

std::string own_cgroup_directory(std::string_view mountinfo, std::string_view cgroup) {
  std::string group;
  for (const std::string& line : split(cgroup, '\n'))
    if (line.starts_with("0::/")) group = line.substr(3);
  if (group.empty()) return {};
  for (const Mount& mount : parse_mountinfo(mountinfo)) {
    if (mount.type != "cgroup2") continue;
    // A container may show only a branch of the tree: `root` is the part that is cut off.
    std::string shown = mount.root == "/" ? "" : mount.root;
    if (!group.starts_with(shown)) continue;
    const std::string below = group.substr(shown.size());
    return below == "/" ? mount.point : mount.point + below;
  }
  return {};
}

Cgroup::Cgroup(std::string directory, Fd fd)
    : directory_(std::move(directory)),
      fd_(std::move(fd)),
      cpu_stat_(::openat(fd_.get(), "cpu.stat", O_RDONLY | O_CLOEXEC)) {}

std::optional<Cgroup> Cgroup::create(const std::string& name) {
  const std::string own = own_cgroup_directory(read_file("/proc/self/mountinfo").value_or(""),
                                               read_file("/proc/self/cgroup").value_or(""));
  if (own.empty()) return std::nullopt;
  const std::string directory = own + "/" + name;
  if (::mkdir(directory.c_str(), 0755) != 0) return std::nullopt;
  return open(directory);
}

std::optional<Cgroup> Cgroup::open(const std::string& directory) {
  Fd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return std::nullopt;
  return Cgroup(directory, std::move(fd));
}

bool Cgroup::kill() const {
  const Fd file(::openat(fd_.get(), "cgroup.kill", O_WRONLY | O_CLOEXEC));
  return file.valid() && ::write(file.get(), "1", 1) == 1;
}

std::optional<CgroupCpu> Cgroup::cpu() const {
  std::array<char, 1024> text;
  const ssize_t length = ::pread(cpu_stat_.get(), text.data(), text.size(), 0);
  if (length <= 0) return std::nullopt;
  return parse_cgroup_cpu({text.data(), static_cast<std::size_t>(length)});
}

bool Cgroup::remove() const {
  // Deepest first. A target may have made groups of its own in ours.
  std::vector<std::string> directories{directory_};
  std::error_code ignored;
  for (std::filesystem::recursive_directory_iterator each(directory_, ignored), end; each != end;
       each.increment(ignored))
    if (each->is_directory(ignored)) directories.push_back(each->path());
  for (auto each = directories.rbegin(); each != directories.rend(); ++each) ::rmdir(each->c_str());
  return ::access(directory_.c_str(), F_OK) != 0;
}

}  // namespace weighbridge::os
