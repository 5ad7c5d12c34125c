#include "sampling/proc_file.h"

#include <fcntl.h>
#include <unistd.h>

namespace weighbridge::sampling {

ProcFile::ProcFile(std::string path, bool keep_open) : path_(std::move(path)) {
  if (keep_open) kept_ = os::Fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
}

std::optional<std::string_view> ProcFile::read(std::vector<char>& buffer) {
  // Far more than any file of one process has. Where a read gives less than half of it, that is
  // all, and a second read to hear so can be spared; a list of children may go on for many.
  constexpr std::size_t kStep = 4096;
  os::Fd opened;
  if (!kept_.valid()) opened = os::Fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  const int fd = kept_.valid() ? kept_.get() : opened.get();
  std::size_t length = 0;
  for (std::size_t got = kStep; got >= kStep / 2; length += got) {
    if (buffer.size() < length + kStep) buffer.resize(length + kStep);
    const ssize_t read = ::pread(fd, buffer.data() + length, kStep, static_cast<off_t>(length));
    if (read < 0) return std::nullopt;
    got = static_cast<std::size_t>(read);
  }
  return std::string_view(buffer.data(), length);
}

}  // namespace weighbridge::sampling
