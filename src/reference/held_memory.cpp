#include "reference/held_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace weighbridge::reference {
namespace {

/// A region is only address space until it is written to.
constexpr std::size_t kRegionBytes = 1ULL << 30U;

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

HeldMemory::~HeldMemory() {
  for (const auto& region : regions_) ::munmap(region.begin, region.size);
}

Result<void> HeldMemory::reserve_more(std::size_t bytes) {
  const std::size_t size = std::max(whole_pages(bytes), kRegionBytes);
  void* const begin = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) return std::unexpected(system_error("cannot hold more memory", errno));
  ::madvise(begin, size, MADV_NOHUGEPAGE);  // or two megabytes would become resident at a time
  regions_.push_back({static_cast<std::byte*>(begin), size});
  used_ = 0;
  return {};
}

Result<void> HeldMemory::hold(std::size_t bytes) {
  if (regions_.empty() || regions_.back().size - used_ < bytes) WB_CHECK(reserve_more(bytes));
  std::byte* at = regions_.back().begin + used_;
  used_ += bytes;
  held_ += bytes;
  while (bytes > 0) {
    const std::uint64_t noise = random_.next();
    const auto count = std::min(bytes, sizeof noise);
    std::memcpy(at, &noise, count);
    at += count;
    bytes -= count;
  }
  return {};
}

Result<HeldBlock> HeldBlock::take(std::size_t bytes) {
  const auto size = whole_pages(bytes);
  void* const begin =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED) return std::unexpected(system_error("cannot hold memory", errno));
  HeldBlock block(begin, size);
  ::madvise(begin, size, MADV_NOHUGEPAGE);
  // One call for all pages: touching 64 MiB page by page takes longer than a peak is to last. Not
  // every kernel knows it, and what it did not do the loop does.
  ::madvise(begin, size, MADV_POPULATE_WRITE);
  auto* const bytes_of = static_cast<volatile std::byte*>(begin);
  for (std::size_t at = 0; at < size; at += whole_pages(1)) bytes_of[at] = std::byte{1};
  return block;
}

HeldBlock::~HeldBlock() {
  if (begin_ != nullptr) ::munmap(begin_, size_);
}

}  // namespace weighbridge::reference
