#include "os/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "os/fd.h"

namespace weighbridge::os {
namespace {

namespace fs = std::filesystem;

constexpr int kNewFileMode = 0666;  // the umask takes from it, as everywhere
constexpr int kAttempts = 100;
constexpr int kLinkHops = 40;  // where Linux itself gives up

std::string remedy_for(int saved_errno) {
  switch (saved_errno) {
    case ENOSPC:
    case EDQUOT:
      return "Free some space, or save elsewhere";
    case EFBIG:
      return "Raise the limit on file sizes (ulimit -f), or save elsewhere";
    case EACCES:
    case EPERM:
    case EROFS:
      return "Save to a directory that you may write to";
    case ENOENT:
    case ENOTDIR:
      return "Create the directory first, or save elsewhere";
    default:
      return "Save elsewhere";
  }
}

std::unexpected<Error> cannot_save(const std::string& path, int saved_errno) {
  Error error = system_error("cannot save " + path, saved_errno);
  error.remedy = remedy_for(saved_errno);
  return std::unexpected(std::move(error));
}

/// The new bytes on their way to the path: a file without a name where the file system has such
/// (then even SIGKILL leaves nothing behind), else one with a passing name, removed unless it was
/// moved into place.
class Draft {
 public:
  explicit Draft(std::string directory) : directory_(std::move(directory)) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }

  // Each step returns false with errno set.
  bool open() {
    fd_ = Fd(::open(directory_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kNewFileMode));
    if (fd_.valid()) return true;
    // What kernels and file systems without O_TMPFILE answer.
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) return false;
    return with_fresh_name([this](const std::string& name) {
      fd_ = Fd(::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kNewFileMode));
      return fd_.valid();
    });
  }

  bool write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = ::write(fd_.get(), text.data(), text.size());
      if (written < 0 && errno != EINTR) return false;
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return ::fsync(fd_.get()) == 0;
  }

  bool keep_mode(mode_t mode) { return ::fchmod(fd_.get(), mode & 07777) == 0; }

  bool move_to(const std::string& path) {
    if (name_.empty()) {
      // linkat cannot replace a file, so a name is needed for an instant after all.
      const std::string self = fmt::format("/proc/self/fd/{}", fd_.get());
      const bool linked = with_fresh_name([&](const std::string& name) {
        return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
      });
      if (!linked) return false;
    }
    if (::rename(name_.c_str(), path.c_str()) != 0) return false;
    name_.clear();
    return true;
  }

 private:
  template <typename Make>
  bool with_fresh_name(const Make& make) {
    static std::atomic<unsigned> counter{0};
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      std::string name = fmt::format("{}/.weighbridge-{}-{}", directory_, ::getpid(), counter++);
      if (make(name)) {
        name_ = std::move(name);
        return true;
      }
      if (errno != EEXIST) return false;
    }
    return false;
  }

  std::string directory_;
  Fd fd_;
  std::string name_;
};

/// Where a link leads, even to a file that is yet to be made: renaming over a link would replace
/// the link and leave the file it names as it was.
fs::path behind_links(fs::path path) {
  std::error_code error;
  for (int hops = 0; hops < kLinkHops && fs::is_symlink(path, error); ++hops)
    path = path.parent_path() / fs::read_symlink(path, error);
  return path;
}

/// Makes the new name last through a power cut. File systems that cannot sync a directory say so
/// with EINVAL; there is nothing more to ask of them.
bool sync_directory(const std::string& directory) {
  const Fd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return errno == EACCES;  // writable but not readable: the file is there
  return ::fsync(fd.get()) == 0 || errno == EINVAL;
}

}  // namespace

Result<void> save_atomically(const std::string& path, std::string_view text) {
  const fs::path target = behind_links(path);
  struct stat old{};
  const bool replaces = ::stat(target.c_str(), &old) == 0;
  if (replaces && !S_ISREG(old.st_mode))
    return fail(ErrorCode::usage, "cannot save " + path + ": it is not a file", {},
                "Name a file to write");
  const std::string directory =
      target.has_parent_path() ? target.parent_path().string() : std::string(".");
  Draft draft(directory);
  if (!draft.open() || !draft.write(text) || (replaces && !draft.keep_mode(old.st_mode)) ||
      !draft.move_to(target.string()) || !sync_directory(directory))
    return cannot_save(path, errno);
  return {};
}

}  // namespace weighbridge::os
