#include "os/host.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "os/read_file.h"
#include "os/real_clock.h"

namespace weighbridge::os {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCaptured = WEIGHBRIDGE_SOURCE_DIR "/tests/fixtures/host";

TEST(Host, ReadsTheFactsOfACapturedMachine) {
  const HostFacts facts = read_host_facts(kCaptured);
  EXPECT_EQ(facts.cpu_model, "AMD EPYC");
  EXPECT_NEAR(facts.cpu_mhz.value(), 2445.432, 1e-6);
  EXPECT_EQ(facts.logical_cpus, 2);
  EXPECT_EQ(facts.memory_bytes, 24684096ULL * 1024);
  EXPECT_EQ(facts.disk_kind, "virtual");
  EXPECT_EQ(facts.file_system, "ext4");
  EXPECT_EQ(facts.kernel, "6.18.44-fc-v595");
  EXPECT_EQ(facts.distribution, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(facts.architecture, "x86_64");
  EXPECT_EQ(facts.governor, "");
}

TEST(Host, ReadsTheLoadOfACapturedMachine) {
  const HostLoad load = read_host_load(kCaptured);
  EXPECT_NEAR(load.load_average_1m.value(), 6.02, 1e-9);
  EXPECT_NEAR(load.steal_seconds.value(), 10.94, 1e-9);
  EXPECT_EQ(load.available_bytes, 22671976ULL * 1024);
}

TEST(Host, KnowsNothingOfAnEmptyFolderAndSaysSo) {
  const HostFacts facts = read_host_facts(WEIGHBRIDGE_SOURCE_DIR "/tests/fixtures/no-such-folder");
  EXPECT_EQ(facts.cpu_model, "");
  EXPECT_FALSE(facts.cpu_mhz);
  EXPECT_EQ(facts.disk_kind, "");
  EXPECT_EQ(facts.architecture, "");
  const HostLoad load = read_host_load(WEIGHBRIDGE_SOURCE_DIR "/tests/fixtures/no-such-folder");
  EXPECT_FALSE(load.load_average_1m);
  EXPECT_FALSE(load.steal_seconds);
  EXPECT_FALSE(load.available_bytes);
}

/// A root directory with one disk, sda, whose first partition holds /srv.
class Machine {
 public:
  explicit Machine(const std::string& mountinfo) {
    fs::create_directories(root_ / "proc/self");
    fs::create_directories(root_ / "sys/devices/sda/sda1");
    fs::create_directories(root_ / "sys/devices/sda/queue");
    fs::create_directories(root_ / "sys/dev/block");
    fs::create_directories(root_ / "sys/class/block");
    fs::create_symlink("../../devices/sda/sda1", root_ / "sys/dev/block/8:1");
    fs::create_symlink("../../devices/sda/sda1", root_ / "sys/class/block/sda1");
    fs::create_symlink("/srv/bench", root_ / "proc/self/cwd");
    std::ofstream(root_ / "proc/self/mountinfo") << mountinfo;
  }
  ~Machine() { fs::remove_all(root_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  HostFacts with_disk(const char* rotational) const {
    std::ofstream(root_ / "sys/devices/sda/queue/rotational") << rotational;
    return read_host_facts(root_);
  }

 private:
  fs::path root_ = fs::path(testing::TempDir()) / ("machine" + std::to_string(::getpid()));
};

TEST(Host, TellsDisksThatRotateFromThoseThatDoNot) {
  const Machine machine("20 1 8:1 / /srv rw - ext4 /dev/sda1 rw\n");
  EXPECT_EQ(machine.with_disk("1\n").disk_kind, "hdd");
  EXPECT_EQ(machine.with_disk("0\n").disk_kind, "ssd");
}

TEST(Host, FindsTheDiskByNameWhereTheNumberIsTheFileSystemsOwn) {
  const Machine machine("20 1 0:35 /@srv /srv rw - btrfs /dev/sda1 rw,subvol=/@srv\n");
  const HostFacts facts = machine.with_disk("0\n");
  EXPECT_EQ(facts.disk_kind, "ssd");
  EXPECT_EQ(facts.file_system, "btrfs");
}

TEST(Host, KnowsFileSystemsOfTheNetworkAndOfNoDisk) {
  EXPECT_EQ(Machine("20 1 0:50 / /srv rw - nfs4 box:/srv rw\n").with_disk("0\n").disk_kind,
            "network");
  const HostFacts memory = Machine("20 1 0:51 / /srv rw - tmpfs tmpfs rw\n").with_disk("0\n");
  EXPECT_EQ(memory.disk_kind, "");
  EXPECT_EQ(memory.file_system, "tmpfs");
}

TEST(Host, AgreesWithTheSystemOnThisMachine) {
  const HostFacts facts = read_host_facts();
  EXPECT_EQ(facts.logical_cpus, ::sysconf(_SC_NPROCESSORS_ONLN));
  EXPECT_NEAR(static_cast<double>(facts.memory_bytes),
              static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE), 1.0);
  EXPECT_NE(facts.kernel, "");
  EXPECT_NE(facts.architecture, "");
  // In a chroot the table of mounts may not have the file system that is the root there.
  const std::string mounts = read_file("/proc/self/mountinfo").value_or("");
  if (mounts.find(" / / ") != std::string::npos) {
    EXPECT_NE(facts.file_system, "");
  }
  EXPECT_TRUE(read_host_load().available_bytes);
}

TEST(Weather, LastsAsLongAsAskedAndStaysWithinItsRange) {
  const Instant before = now();
  const Weather weather = probe_weather(20ms);
  EXPECT_GE(now() - before, 20ms);
  EXPECT_GE(weather.length, 20ms);
  EXPECT_GE(weather.lost_share, 0.0);
  EXPECT_LE(weather.lost_share, 1.0);
  EXPECT_LE(weather.worst_gap, weather.length);
}

TEST(Weather, SeesWhenSomethingElseTakesTheCore) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  std::atomic<bool> stop = false;
  std::thread rival([&] {
    ::pthread_setaffinity_np(::pthread_self(), sizeof one, &one);
    while (!stop) {
    }
  });
  Weather weather;
  std::thread probe([&] {
    ::pthread_setaffinity_np(::pthread_self(), sizeof one, &one);
    weather = probe_weather(300ms);
  });
  probe.join();
  stop = true;
  rival.join();
  // Two that share a core get about half each.
  EXPECT_GT(weather.lost_share, 0.15);
  EXPECT_FALSE(weather.quiet());
}

TEST(Weather, IsQuietBelowTwoPercentAndTwentyMilliseconds) {
  EXPECT_TRUE((Weather{.lost_share = 0.019, .worst_gap = 20ms, .length = 1s}).quiet());
  EXPECT_FALSE((Weather{.lost_share = 0.02, .worst_gap = 1ms, .length = 1s}).quiet());
  EXPECT_FALSE((Weather{.lost_share = 0.001, .worst_gap = 21ms, .length = 1s}).quiet());
}

}  // namespace
}  // namespace weighbridge::os
