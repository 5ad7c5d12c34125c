#include "plan/detail/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>

namespace weighbridge::plan::detail {
namespace {

// No file that a person writes is near this size; a device or a log named by mistake is.
constexpr std::size_t kLargest = std::size_t{4} << 20;

}  // namespace

Result<std::string> read_text(const std::string& path, std::string_view what,
                              const std::string& remedy) {
  const auto unreadable = [&](int saved_errno) {
    Error error = system_error(fmt::format("cannot read {}", what), saved_errno);
    error.code = ErrorCode::plan;
    error.where = path;
    error.remedy = remedy;
    return std::unexpected(std::move(error));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                             std::fclose);
  if (file == nullptr) return unreadable(errno);
  std::string text;
  char buffer[16384];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, got);
    if (text.size() > kLargest)
      return fail(ErrorCode::plan, fmt::format("{} is larger than any should be", what), path,
                  remedy);
  }
  if (std::ferror(file.get()) != 0) return unreadable(errno);
  return text;
}

}  // namespace weighbridge::plan::detail
