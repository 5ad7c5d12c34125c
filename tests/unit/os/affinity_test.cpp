#include "os/affinity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace weighbridge::os {
namespace {

TEST(Cpus, AreReadAndWrittenAsTheKernelWritesThem) {
  EXPECT_THAT(parse_cpus("0-2,5").value(), testing::ElementsAre(0, 1, 2, 5));
  EXPECT_THAT(parse_cpus("5,0,1-1,5").value(), testing::ElementsAre(0, 1, 5));
  EXPECT_EQ(format_cpus({0, 1, 2, 5, 7, 8}), "0-2,5,7-8");
  EXPECT_EQ(format_cpus({}), "");
  for (const char* text : {"", "a", "1-", "-1", "3-1", "1,,2", "1 2", "99999"})
    EXPECT_FALSE(parse_cpus(text)) << text;
}

TEST(Cpus, ConfineTheThreadThatAsksAndNoOther) {
  const std::vector<int> before = allowed_cpus();
  ASSERT_FALSE(before.empty());
  std::thread([&] {
    ASSERT_TRUE(pin_this_thread({before.back()}));
    EXPECT_EQ(allowed_cpus(), std::vector<int>{before.back()});
  }).join();
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(Cpus, ThatDoNotExistAreRefusedByName) {
  const auto pinned = pin_this_thread({1000});
  ASSERT_FALSE(pinned);
  EXPECT_EQ(pinned.error().code, ErrorCode::usage);
  EXPECT_NE(pinned.error().remedy.find(format_cpus(allowed_cpus())), std::string::npos);
}

TEST(WaitForCore, GrowsWhenTwoThreadsShareOne) {
  const int cpu = allowed_cpus().front();
  std::atomic<bool> stop{false};
  std::thread other([&] {
    (void)pin_this_thread({cpu});
    while (!stop) {
    }
  });
  Duration waited{};
  std::thread([&] {
    (void)pin_this_thread({cpu});
    const auto begun = std::chrono::steady_clock::now();
    while (thread_wait_for_core() == 0ns && std::chrono::steady_clock::now() - begun < 10s) {
    }
    waited = thread_wait_for_core();
  }).join();
  stop = true;
  other.join();
  EXPECT_GT(waited, 0ns);
}

}  // namespace
}  // namespace weighbridge::os
