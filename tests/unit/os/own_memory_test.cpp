#include "os/own_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstring>

namespace weighbridge::os {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 20;
/// The tests' own allocations around a reading.
constexpr std::size_t kSlack = std::size_t{4} << 20;

/// Pages that are resident while this lives.
class Held {
 public:
  Held()
      : pages_(
            ::mmap(nullptr, kBlock, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    std::memset(pages_, 1, kBlock);
  }
  ~Held() { ::munmap(pages_, kBlock); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  void* pages_;
};

TEST(OwnMemory, APeakStaysAfterWhatMadeItIsGone) {
  if (!reset_own_peak()) GTEST_SKIP() << "the kernel does not reset the mark here";
  const auto before = own_peak_bytes();
  {
    const Held held;
  }
  const auto after = own_peak_bytes();
  ASSERT_TRUE(before && after);
  EXPECT_GT(*after, *before + kBlock - kSlack);
}

TEST(OwnMemory, AResetForgetsAnEarlierPeak) {
  {
    const Held held;
  }
  const auto before = own_peak_bytes();
  if (!reset_own_peak()) GTEST_SKIP() << "the kernel does not reset the mark here";
  const auto after = own_peak_bytes();
  ASSERT_TRUE(before && after);
  EXPECT_LT(*after, *before - kBlock + kSlack);
}

}  // namespace
}  // namespace weighbridge::os
