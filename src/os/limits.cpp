#include "os/limits.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>

#include "os/read_file.h"

namespace weighbridge::os {

DescriptorLimit descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};
  return {.soft = limit.rlim_cur, .hard = limit.rlim_max};
}

bool raise_descriptor_limit(std::uint64_t wanted) {
  const DescriptorLimit now = descriptor_limit();
  if (now.soft >= wanted) return true;
  const rlimit raised{.rlim_cur = std::min<rlim_t>(wanted, now.hard), .rlim_max = now.hard};
  return ::setrlimit(RLIMIT_NOFILE, &raised) == 0 && now.hard >= wanted;
}

std::uint64_t local_port_count() {
  constexpr std::uint64_t kUsual = 28'232;  // Linux's default, 32768 to 60999
  const auto text = read_file("/proc/sys/net/ipv4/ip_local_port_range");
  unsigned first = 0;
  unsigned last = 0;
  if (!text || std::sscanf(text->c_str(), "%u %u", &first, &last) != 2 || last < first)
    return kUsual;
  return last - first + 1;
}

}  // namespace weighbridge::os
