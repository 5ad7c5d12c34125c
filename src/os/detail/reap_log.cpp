#include "os/detail/reap_log.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstddef>
#include <utility>

namespace weighbridge::os::detail {
namespace {

constexpr std::size_t kCapacity = 1 << 20;
constexpr std::size_t kSmallest = 16 << 10;  // bytes: a few hundred processes

struct Record {
  std::int64_t user_ns = 0;
  std::int64_t system_ns = 0;
  std::int64_t max_resident_kib = 0;
  std::int64_t at_ns = 0;
  std::int32_t pid = 0;
  std::int32_t wait_status = 0;
  std::int64_t orphan = 0;
};

timespec absolute(Instant at) {
  const auto nanoseconds = at.time_since_epoch().count();
  return {.tv_sec = nanoseconds / 1'000'000'000,
          .tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000)};
}

}  // namespace

struct ReapLog::Layout {
  std::atomic<std::uint32_t> generation;
  std::atomic<std::uint64_t> size;
  Record records[kCapacity];
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free &&
                  std::atomic<std::uint64_t>::is_always_lock_free,
              "shared between processes");

Result<ReapLog> ReapLog::create() {
  Fd memory(::memfd_create("weighbridge-reaped", MFD_CLOEXEC));
  // Sparse and zero: an empty log needs no initialising. A limit on the size of files (ulimit -f)
  // counts for it too; it is meant for results, and a shorter log serves most runs as well.
  std::size_t bytes = sizeof(Layout);
  int error = memory.valid() ? 0 : errno;
  while (error == 0 && ::ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0) {
    if (errno != EFBIG || bytes <= kSmallest) error = errno;
    bytes /= 2;
  }
  if (error != 0)
    return std::unexpected(system_error("cannot make memory to share with the supervisor", error));
  return map(std::move(memory));
}

Result<ReapLog> ReapLog::open(Fd memory) {
  return map(std::move(memory));
}

Result<ReapLog> ReapLog::map(Fd memory) {
  struct stat file{};
  if (::fstat(memory.get(), &file) != 0)
    return std::unexpected(system_error("cannot size memory shared with the supervisor", errno));
  // The whole layout is mapped; what lies past the end of the file is never touched.
  const std::size_t capacity =
      (static_cast<std::size_t>(file.st_size) - offsetof(Layout, records)) / sizeof(Record);
  void* const address =
      ::mmap(nullptr, sizeof(Layout), PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (address == MAP_FAILED)
    return std::unexpected(system_error("cannot map memory shared with the supervisor", errno));
  return ReapLog(std::move(memory), static_cast<Layout*>(address), capacity);
}

ReapLog::ReapLog(ReapLog&& other) noexcept
    : memory_(std::move(other.memory_)),
      layout_(std::exchange(other.layout_, nullptr)),
      capacity_(other.capacity_) {}

ReapLog::~ReapLog() {
  if (layout_ != nullptr) ::munmap(layout_, sizeof(Layout));
}

void ReapLog::begin() {
  layout_->generation.fetch_add(1);
}

void ReapLog::commit(const ExitedChild* reaped) {
  const std::uint64_t size = layout_->size.load();
  if (reaped != nullptr && size < capacity_) {
    layout_->records[size] = {.user_ns = reaped->user.count(),
                              .system_ns = reaped->system.count(),
                              .max_resident_kib = reaped->max_resident_kib,
                              .at_ns = reaped->at.time_since_epoch().count(),
                              .pid = reaped->pid,
                              .wait_status = reaped->wait_status,
                              .orphan = reaped->orphan ? 1 : 0};
    layout_->size.store(size + 1);
  }
  layout_->generation.fetch_add(1);
  ::syscall(SYS_futex, &layout_->generation, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

std::uint32_t ReapLog::generation() const {
  return layout_->generation.load();
}

std::size_t ReapLog::size() const {
  return layout_->size.load();
}

ExitedChild ReapLog::at(std::size_t index) const {
  const Record& record = layout_->records[index];
  return {.pid = record.pid,
          .wait_status = record.wait_status,
          .user = Duration(record.user_ns),
          .system = Duration(record.system_ns),
          .max_resident_kib = record.max_resident_kib,
          .orphan = record.orphan != 0,
          .at = Instant(Duration(record.at_ns))};
}

void ReapLog::wait_for_change(std::uint32_t seen, Instant deadline) const {
  // FUTEX_WAIT_BITSET takes its timeout as an instant of CLOCK_MONOTONIC, and sleeps only while the
  // word still holds `seen`. std::atomic::wait has no timeout and does not cross processes.
  const timespec until = absolute(deadline);
  ::syscall(SYS_futex, &layout_->generation, FUTEX_WAIT_BITSET, seen, &until, nullptr,
            FUTEX_BITSET_MATCH_ANY);
}

}  // namespace weighbridge::os::detail
