#include "os/read_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/words.h"
#include "os/fd.h"

namespace weighbridge::os {

std::optional<std::string> read_file(const std::string& path, std::size_t limit) {
  constexpr std::size_t kStep = 4096;
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return std::nullopt;
  std::string text;
  while (text.size() < limit) {
    const std::size_t had = text.size();
    text.resize(std::min(had + kStep, limit));
    const ssize_t got = ::read(file.get(), text.data() + had, text.size() - had);
    text.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno != EINTR) return std::nullopt;
    if (got == 0) break;
  }
  return text;
}

std::optional<std::string> read_trimmed(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return std::nullopt;
  return std::string(trim(*text));
}

}  // namespace weighbridge::os
