#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"

namespace weighbridge::reference {

/// Memory held on purpose and for ever: packed side by side in reserved address space, so that what
/// is resident grows by exactly what is asked and not by whole pages each time; filled with noise,
/// so that no kernel merges or compresses it away.
class HeldMemory {
 public:
  HeldMemory() : random_(0x5eed) {}
  ~HeldMemory();
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

  /// ErrorCode::system when there is no more address space.
  Result<void> hold(std::size_t bytes);
  [[nodiscard]] std::uint64_t bytes() const { return held_; }

 private:
  Result<void> reserve_more(std::size_t bytes);

  struct Region {
    std::byte* begin = nullptr;
    std::size_t size = 0;
  };
  std::vector<Region> regions_;
  std::size_t used_ = 0;  // of the last region
  std::uint64_t held_ = 0;
  Random random_;
};

/// Memory held until this goes: whole pages of its own, resident from the first moment and given
/// back to the kernel at once.
class HeldBlock {
 public:
  /// ErrorCode::system when the kernel gives none.
  static Result<HeldBlock> take(std::size_t bytes);
  ~HeldBlock();
  HeldBlock(HeldBlock&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  HeldBlock& operator=(HeldBlock&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
    return *this;
  }
  HeldBlock(const HeldBlock&) = delete;
  HeldBlock& operator=(const HeldBlock&) = delete;

  /// What is really held: what was asked, rounded up to whole pages.
  [[nodiscard]] std::size_t bytes() const { return size_; }

 private:
  HeldBlock(void* begin, std::size_t size) : begin_(begin), size_(size) {}
  void* begin_;
  std::size_t size_;
};

}  // namespace weighbridge::reference
