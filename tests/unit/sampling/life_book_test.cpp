#include "sampling/life_book.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace weighbridge::sampling {
namespace {

ProcessReader::Reading reading(pid_t pid, pid_t parent, std::uint64_t counters = 0,
                               const std::string& name = "server", std::uint64_t start = 1) {
  ProcessReader::Reading made;
  made.sample.pid = pid;
  made.sample.parent = parent;
  made.sample.start_ticks = start;
  made.sample.name = name;
  made.sample.minor_faults = counters;
  made.sample.major_faults = counters;
  made.sample.voluntary_switches = counters;
  made.sample.involuntary_switches = counters;
  made.sample.read_bytes = counters;
  made.sample.written_bytes = counters;
  return made;
}

class Book : public testing::Test {
 protected:
  void at(int second, std::vector<ProcessReader::Reading> readings,
          std::vector<os::ExitedChild> reaped = {}) {
    book.update(readings, Instant(std::chrono::seconds(second)), reaped);
  }
  LifeBook book{ProcRoot{.path = WEIGHBRIDGE_SOURCE_DIR "/tests/fixtures/proc/npx", .live = false}};
};

TEST_F(Book, RemembersEveryProcessInOrderOfAppearance) {
  at(1, {reading(32379, 10)});
  at(2, {reading(32379, 10), reading(32378, 10)});
  at(3, {reading(32378, 10)});
  at(4, {});
  ASSERT_EQ(book.lives().size(), 2U);
  EXPECT_EQ(book.lives()[0].command, "node /srv/demo/node_modules/.bin/demo-server");
  EXPECT_EQ(book.lives()[0].first_seen, Instant(1s));
  EXPECT_EQ(book.lives()[0].last_seen, Instant(2s));
  EXPECT_EQ(book.lives()[1].command, "sh -c 'demo-server'");
  EXPECT_EQ(book.lives()[1].last_seen, Instant(3s));
}

TEST_F(Book, ReadsTheCommandAgainWhenAProcessTakesAnotherName) {
  const std::string live = testing::TempDir() + "/proc-renamed" + std::to_string(::getpid());
  std::filesystem::create_directories(live + "/20");
  const auto write = [&](std::string_view text) {
    std::ofstream(live + "/20/cmdline", std::ios::binary) << text;
  };
  LifeBook renamed(ProcRoot{.path = live, .live = false});
  const auto see = [&](int second, const char* name) {
    renamed.update(std::vector{reading(20, 10, 0, name)}, Instant(std::chrono::seconds(second)),
                   {});
    return renamed.lives()[0].command;
  };
  write(std::string_view("sh\0-c\0exec sh\0", 14));
  EXPECT_EQ(see(1, "sh"), "sh -c exec sh");
  // While it is young, even when the name stays.
  write(std::string_view("sh\0", 3));
  EXPECT_EQ(see(2, "sh"), "sh");
  write(std::string_view("server\0", 7));
  EXPECT_EQ(see(60, "sh"), "sh");
  EXPECT_EQ(see(61, "server"), "server");
  std::filesystem::remove_all(live);
}

TEST_F(Book, SeesWhoWasOrphanedWhileItLived) {
  at(1, {reading(20, 10), reading(21, 20)});
  at(2, {reading(21, 10)});
  EXPECT_FALSE(book.lives()[0].orphaned);
  EXPECT_TRUE(book.lives()[1].orphaned);
}

TEST_F(Book, LearnsFromTheSupervisorWhoWasOrphanedBeforeItWasSeen) {
  at(1, {reading(21, 10)});
  at(2, {}, {os::ExitedChild{.pid = 21, .orphan = true, .at = {}}});
  EXPECT_TRUE(book.lives()[0].orphaned);
}

TEST_F(Book, ANumberThatIsUsedAgainIsAnotherProcess) {
  at(1, {reading(20, 10, 5, "a", /*start=*/1)});
  at(2, {reading(20, 10, 7, "b", /*start=*/2)});
  ASSERT_EQ(book.lives().size(), 2U);
  EXPECT_EQ(book.ended().minor_faults, 5U);
}

TEST_F(Book, KeepsTheCountersOfThoseThatEnded) {
  at(1, {reading(20, 10, 5)});
  at(2, {}, {os::ExitedChild{.pid = 20, .at = {}}});
  EXPECT_EQ(book.ended().minor_faults, 5U);
  EXPECT_EQ(book.ended().major_faults, 5U);
  EXPECT_EQ(book.ended().voluntary_switches, 5U);
  EXPECT_EQ(book.ended().involuntary_switches, 5U);
  EXPECT_EQ(book.ended().read_bytes, 5U);
  EXPECT_EQ(book.ended().written_bytes, 5U);
}

TEST_F(Book, BytesGoOverToTheParentThatWaitedAndAreNotCountedTwice) {
  at(1, {reading(20, 10, 100), reading(21, 20, 5)});
  at(2, {reading(20, 10, 105)});
  EXPECT_EQ(book.ended().minor_faults, 5U);
  EXPECT_EQ(book.ended().read_bytes.value_or(0), 0U);
}

}  // namespace
}  // namespace weighbridge::sampling
