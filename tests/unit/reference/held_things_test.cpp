#include "reference/held_things.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

namespace weighbridge::reference {
namespace {

std::size_t entries_of(const char* folder) {
  const std::filesystem::directory_iterator begin(folder);
  return static_cast<std::size_t>(std::distance(begin, {}));
}

std::size_t children() {
  std::ifstream file("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  return static_cast<std::size_t>(std::distance(std::istream_iterator<std::string>(file),
                                                std::istream_iterator<std::string>()));
}

TEST(HeldThings, AreReallyHeldAndReallyGivenBack) {
  // ThreadSanitizer starts a thread of its own with the first one.
  std::thread([] {}).join();
  WeightStats stats;
  const auto descriptors = entries_of("/proc/self/fd");
  const auto threads = entries_of("/proc/self/task");
  {
    const HeldThings held({.descriptors = 5, .threads = 3, .children = 2}, stats);
    EXPECT_EQ(entries_of("/proc/self/fd"), descriptors + 5);
    EXPECT_EQ(entries_of("/proc/self/task"), threads + 3);
    EXPECT_EQ(children(), 2U);
    EXPECT_EQ(stats.descriptors.held, 5U);
    EXPECT_EQ(stats.threads.held, 3U);
    EXPECT_EQ(stats.children.held, 2U);
  }
  EXPECT_EQ(entries_of("/proc/self/fd"), descriptors);
  EXPECT_EQ(entries_of("/proc/self/task"), threads);
  EXPECT_EQ(children(), 0U);
  EXPECT_EQ(stats.descriptors.held + stats.threads.held + stats.children.held, 0U);
  EXPECT_EQ(stats.descriptors.taken, 5U);
}

TEST(HeldThings, CountWhatTheKernelDoesNotGiveAsFailures) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{.rlim_cur = entries_of("/proc/self/fd") + 1, .rlim_max = before.rlim_max};
  WeightStats stats;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  std::optional<HeldThings> held;
  held.emplace(Things{.descriptors = 10, .threads = 0, .children = 0}, stats);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_GT(stats.failures, 0U);
  EXPECT_EQ(stats.failures + stats.descriptors.held, 10U);
}

}  // namespace
}  // namespace weighbridge::reference
