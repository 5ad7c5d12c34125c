#include "sampling/process_reader.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>

namespace weighbridge::sampling {
namespace {

constexpr ProcessReader::Depth kAll{};
const ProcRoot kNpx{.path = WEIGHBRIDGE_SOURCE_DIR "/tests/fixtures/proc/npx", .live = false};
const ProcRoot kShell{.path = WEIGHBRIDGE_SOURCE_DIR "/tests/fixtures/proc/shell", .live = false};

Duration own_cpu() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
}

TEST(ProcessReader, ReadsACapturedServer) {
  ProcessReader reader(kNpx, 32379, /*keep_open=*/true);
  const auto reading = reader.read({.switches_of_all_threads = true, .listed_descriptors = true});
  ASSERT_TRUE(reading);
  const ProcessSample& sample = reading->sample;
  EXPECT_EQ(sample.pid, 32379);
  EXPECT_EQ(sample.parent, 32378);
  EXPECT_EQ(sample.start_ticks, 276373U);
  EXPECT_EQ(sample.name, "node");
  EXPECT_EQ(sample.resident_bytes, 44116U * 1024);
  EXPECT_EQ(sample.high_water_bytes, 44116U * 1024);
  EXPECT_EQ(sample.cpu, 80ms);
  EXPECT_EQ(sample.user, 70ms);
  EXPECT_EQ(sample.system, 10ms);
  EXPECT_EQ(sample.reaped_children_cpu, 0ms);
  EXPECT_EQ(sample.threads, 7U);
  EXPECT_EQ(sample.descriptors, 22U);
  EXPECT_EQ(sample.minor_faults, 2527U);
  EXPECT_EQ(sample.read_bytes, 257890U);
  EXPECT_EQ(sample.written_bytes, 1U);
  EXPECT_EQ(sample.voluntary_switches, 9U);
  EXPECT_EQ(sample.involuntary_switches, 27U);
  EXPECT_FALSE(reading->zombie);
}

TEST(ProcessReader, ReadsALauncherWithSpacesInItsName) {
  ProcessReader reader(kNpx, 32362, /*keep_open=*/false);
  const auto reading = reader.read(kAll);
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->sample.name, "npm exec demo-s");
  EXPECT_EQ(reading->cpu.own.total, 520ms);
  EXPECT_EQ(reading->cpu.own.user, 460ms);
  EXPECT_EQ(reading->cpu.own.system, 60ms);
}

TEST(ProcessReader, LeavesTheFilesOfThreadsAndDescriptorsAloneWhenTold) {
  ProcessReader reader(kNpx, 32379, /*keep_open=*/true);
  const auto reading = reader.read({.switches_of_all_threads = false, .listed_descriptors = false});
  ASSERT_TRUE(reading);
  EXPECT_FALSE(reading->sample.descriptors);
  EXPECT_TRUE(reader.must_list_descriptors());
  EXPECT_EQ(reading->sample.involuntary_switches, 26U);  // of the first thread
}

TEST(ProcessReader, AZombieIsOnlyAnAccount) {
  ProcessReader reader(kShell, 1176, /*keep_open=*/true);
  const auto reading = reader.read(kAll);
  ASSERT_TRUE(reading);
  EXPECT_TRUE(reading->zombie);
  EXPECT_EQ(reading->sample.resident_bytes, 0U);
  EXPECT_FALSE(reading->sample.descriptors);
  EXPECT_EQ(reading->sample.threads, 0U);
}

TEST(ProcessReader, AgreesWithThisProcessOnItself) {
  ProcessReader reader({}, ::getpid(), /*keep_open=*/true);
  const Duration before = own_cpu();
  const auto reading = reader.read(kAll);
  const Duration after = own_cpu();
  ASSERT_TRUE(reading);
  EXPECT_GE(reading->sample.cpu, before);
  EXPECT_LE(reading->sample.cpu, after);
  EXPECT_EQ(reading->sample.parent, ::getppid());
  EXPECT_GT(reading->sample.descriptors.value(), 3U);
}

TEST(ProcessReader, CountsDescriptorsOneByOne) {
  ProcessReader reader({}, ::getpid(), /*keep_open=*/true);
  const auto before = reader.read(kAll);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const auto between = reader.read(kAll);
  ::close(ends[0]);
  ::close(ends[1]);
  const auto after = reader.read(kAll);
  EXPECT_EQ(*between->sample.descriptors, *before->sample.descriptors + 2);
  EXPECT_EQ(after->sample.descriptors, before->sample.descriptors);
}

TEST(ProcessReader, SumsTheSwitchesOfAllThreadsEvenOfThoseThatHaveEnded) {
  ProcessReader reader({}, ::getpid(), /*keep_open=*/true);
  const ProcessReader::Depth deep{.switches_of_all_threads = true, .listed_descriptors = true};
  const auto before = reader.read(deep);
  std::atomic<bool> slept = false;
  std::atomic<bool> stop = false;
  std::thread sleeper([&] {
    for (int i = 0; i < 200; ++i) std::this_thread::sleep_for(100us);
    slept = true;
    while (!stop) std::this_thread::sleep_for(1ms);
  });
  while (!slept) std::this_thread::yield();
  const auto during = reader.read(deep);
  EXPECT_GE(during->sample.voluntary_switches, before->sample.voluntary_switches + 100);
  stop = true;
  sleeper.join();
  const auto after = reader.read(deep);
  EXPECT_GE(after->sample.voluntary_switches, during->sample.voluntary_switches);
}

TEST(ProcessReader, ReadsAChildUntilItIsReapedAndNothingAfter) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  ProcessReader kept({}, child, /*keep_open=*/true);
  ProcessReader opened({}, child, /*keep_open=*/false);
  EXPECT_TRUE(kept.read(kAll));
  EXPECT_TRUE(opened.read(kAll));
  ::kill(child, SIGKILL);
  siginfo_t ended{};
  ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT);
  ASSERT_TRUE(kept.read(kAll));
  EXPECT_TRUE(kept.read(kAll)->zombie);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(kept.read(kAll));
  EXPECT_FALSE(opened.read(kAll));
  EXPECT_FALSE(ProcessReader({}, child, /*keep_open=*/true).read(kAll));
}

TEST(HighWater, IsThatOfTheTimeSinceItsReset) {
  constexpr std::size_t kSize = 64 << 20;
  ProcessReader reader({}, ::getpid(), /*keep_open=*/true);
  const auto use = [] {
    void* const memory =
        ::mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memset(memory, 1, kSize);
    ::munmap(memory, kSize);
  };
  use();
  const auto before = reader.read(kAll)->sample;
  EXPECT_GE(*before.high_water_bytes, before.resident_bytes + kSize * 9 / 10);
  ASSERT_TRUE(reset_high_water({}, ::getpid()));
  const auto after = reader.read(kAll)->sample;
  EXPECT_LT(*after.high_water_bytes, after.resident_bytes + kSize / 10);
  use();
  const auto again = reader.read(kAll)->sample;
  EXPECT_GE(*again.high_water_bytes, again.resident_bytes + kSize * 9 / 10);
}

TEST(HighWater, CannotBeResetOfAProcessThatIsGone) {
  EXPECT_FALSE(reset_high_water(kNpx, 1));
}

TEST(Rollup, ReadsThisProcessAndACapturedOne) {
  EXPECT_EQ(read_rollup(kNpx, 32379).value().proportional_bytes, 23898U * 1024);
  const auto own = read_rollup({}, ::getpid());
  ASSERT_TRUE(own);
  EXPECT_LE(own->proportional_bytes, own->resident_bytes);
  EXPECT_FALSE(read_rollup(kShell, 1176));  // a zombie
}

}  // namespace
}  // namespace weighbridge::sampling
