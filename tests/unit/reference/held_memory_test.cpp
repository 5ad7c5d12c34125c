#include "reference/held_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace weighbridge::reference {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIP_IF_SANITIZED() GTEST_SKIP() << "a sanitiser's own memory hides what is held"
#else
#define SKIP_IF_SANITIZED() (void)0
#endif

/// Without pages of files: what the program reads of itself for the first time in between is not
/// held.
std::uint64_t resident_bytes() {
  std::ifstream status("/proc/self/status");
  std::string key;
  std::uint64_t kib = 0;
  while (status >> key && key != "RssAnon:") status.ignore(4096, '\n');
  status >> kib;
  return kib * 1024;
}

TEST(HeldMemory, IsResidentByteForByte) {
  SKIP_IF_SANITIZED();
  HeldMemory held;
  ASSERT_TRUE(held.hold(50 * 1024));
  const auto before = resident_bytes();
  for (int i = 0; i < 400; ++i) ASSERT_TRUE(held.hold(50 * 1024));
  const auto grown = static_cast<double>(resident_bytes() - before);
  EXPECT_EQ(held.bytes(), 401U * 50 * 1024);
  EXPECT_NEAR(grown, 400.0 * 50 * 1024, 64 * 1024);
}

TEST(HeldMemory, TakesMoreThanOneRegionHolds) {
  HeldMemory held;
  ASSERT_TRUE(held.hold(3));
  ASSERT_TRUE(held.hold(1));
  EXPECT_EQ(held.bytes(), 4U);
}

TEST(HeldBlock, IsResidentFromTheFirstMomentAndGoneInTheEnd) {
  SKIP_IF_SANITIZED();
  const auto before = resident_bytes();
  {
    const auto block = HeldBlock::take(8 * 1024 * 1024);
    ASSERT_TRUE(block);
    EXPECT_NEAR(static_cast<double>(resident_bytes() - before), 8 * 1024 * 1024, 64 * 1024);
  }
  EXPECT_NEAR(static_cast<double>(resident_bytes()), static_cast<double>(before), 64 * 1024);
}

TEST(HeldBlock, SaysWhatItReallyHolds) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  EXPECT_EQ(HeldBlock::take(1)->bytes(), page);
  EXPECT_EQ(HeldBlock::take(page)->bytes(), page);
  EXPECT_EQ(HeldBlock::take(page + 1)->bytes(), 2 * page);
  EXPECT_FALSE(HeldBlock::take(1ULL << 60U));
}

TEST(HeldBlock, IsHeldByWhomItWasMovedTo) {
  auto first = HeldBlock::take(4096);
  auto second = HeldBlock::take(8192);
  *first = std::move(*second);
  EXPECT_EQ(first->bytes(), 8192U);
}

}  // namespace
}  // namespace weighbridge::reference
