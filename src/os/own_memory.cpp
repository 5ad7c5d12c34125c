#include "os/own_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <string_view>

#include "os/fd.h"
#include "os/read_file.h"

namespace weighbridge::os {

std::optional<std::uint64_t> own_peak_bytes() {
  constexpr std::string_view kKey = "\nVmHWM:";
  const auto status = read_file("/proc/self/status");
  if (!status) return std::nullopt;
  const std::size_t at = status->find(kKey);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t digits = status->find_first_of("0123456789", at);
  if (digits == std::string::npos) return std::nullopt;
  std::uint64_t kib = 0;
  std::from_chars(status->data() + digits, status->data() + status->size(), kib);
  return kib * 1024;
}

bool reset_own_peak() {
  const Fd marks(::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC));
  // "5" resets the mark and touches nothing else (proc(5), clear_refs).
  return marks.valid() && ::write(marks.get(), "5", 1) == 1;
}

}  // namespace weighbridge::os
