#include "sampling/proc_text.h"

#include <gtest/gtest.h>

#include <string>

#include "os/read_file.h"

namespace weighbridge::sampling {
namespace {

std::string captured(const std::string& path) {
  return os::read_file(WEIGHBRIDGE_SOURCE_DIR "/tests/fixtures/proc/" + path).value();
}

TEST(ParseStat, ReadsARealServer) {
  const auto stat = parse_stat(captured("npx/32379/stat"));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->pid, 32379);
  EXPECT_EQ(stat->name, "node");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 32378);
  EXPECT_EQ(stat->minor_faults, 2527U);
  EXPECT_EQ(stat->major_faults, 0U);
  EXPECT_EQ(stat->user_ticks, 7U);
  EXPECT_EQ(stat->system_ticks, 1U);
  EXPECT_EQ(stat->start_ticks, 276373U);
  EXPECT_FALSE(stat->is_zombie());
}

TEST(ParseStat, ReadsWhatAParentHasWaitedFor) {
  const auto stat =
      parse_stat("1 (a) S 1 2 3 4 5 6 100 200 300 400 11 12 13 14 15 16 17 18 1900 20");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->minor_faults, 100U);
  EXPECT_EQ(stat->major_faults, 300U);
  EXPECT_EQ(stat->user_ticks, 11U);
  EXPECT_EQ(stat->system_ticks, 12U);
  EXPECT_EQ(stat->children_user_ticks, 13U);
  EXPECT_EQ(stat->children_system_ticks, 14U);
  EXPECT_EQ(stat->start_ticks, 1900U);
}

TEST(ParseStat, IsNotMisledByTheNameAProcessChose) {
  const auto parentheses = parse_stat(captured("names/1230/stat"));
  ASSERT_TRUE(parentheses);
  EXPECT_EQ(parentheses->name, "a) b (c");
  EXPECT_EQ(parentheses->parent, 1225);
  const auto newline = parse_stat(captured("names/1231/stat"));
  ASSERT_TRUE(newline);
  EXPECT_EQ(newline->name, "x\ny\\z");
  EXPECT_EQ(newline->parent, 1225);
  const auto forged = parse_stat(captured("names/1232/stat"));
  ASSERT_TRUE(forged);
  EXPECT_EQ(forged->name, ") R 1 (");
  EXPECT_EQ(forged->state, 'S');
  EXPECT_EQ(forged->parent, 1225);
}

TEST(ParseStat, KnowsAZombie) {
  EXPECT_TRUE(parse_stat(captured("shell/1176/stat")).value().is_zombie());
}

TEST(ParseStat, RefusesEveryCutBeforeTheLastFieldItReads) {
  const std::string whole = captured("npx/32379/stat");
  const std::size_t last = whole.find(" 276373");
  for (std::size_t length = 0; length < last; ++length)
    EXPECT_FALSE(parse_stat(std::string_view(whole).substr(0, length))) << length;
  EXPECT_FALSE(parse_stat(")("));
}

TEST(ParseStatus, ReadsARealServer) {
  const auto status = parse_status(captured("npx/32379/status"));
  ASSERT_TRUE(status);
  EXPECT_EQ(status->resident_bytes, 44116U * 1024);
  EXPECT_EQ(status->high_water_bytes, 44116U * 1024);
  EXPECT_EQ(status->threads, 7U);
  EXPECT_EQ(status->voluntary_switches, 3U);
  EXPECT_EQ(status->involuntary_switches, 26U);
  EXPECT_FALSE(status->ignores_child_signal);
}

TEST(ParseStatus, AZombieHasNoMemory) {
  const auto status = parse_status(captured("shell/1176/status"));
  ASSERT_TRUE(status);
  EXPECT_FALSE(status->resident_bytes);
  EXPECT_FALSE(status->high_water_bytes);
}

TEST(ParseStatus, SeesWhoIgnoresTheEndOfItsChildren) {
  EXPECT_TRUE(parse_status(captured("shell/1178/status")).value().ignores_child_signal);
  EXPECT_FALSE(parse_status(captured("shell/1175/status")).value().ignores_child_signal);
}

TEST(ParseStatus, ANewlineInANameIsNoLine) {
  EXPECT_TRUE(parse_status(captured("names/1231/status")));
}

TEST(ParseStatus, RefusesACutFile) {
  EXPECT_FALSE(parse_status(""));
  EXPECT_FALSE(parse_status("Name:\tnode\nVmRSS:\t  100 kB\n"));
}

TEST(ParseIo, ReadsARealServer) {
  const auto io = parse_io(captured("npx/32379/io"));
  ASSERT_TRUE(io);
  EXPECT_EQ(io->read_bytes, 257890U);
  EXPECT_EQ(io->written_bytes, 1U);
  EXPECT_FALSE(parse_io(""));
  EXPECT_FALSE(parse_io("rchar: 1\n"));
}

TEST(ParseRollup, ReadsARealServer) {
  const auto rollup = parse_smaps_rollup(captured("npx/32379/smaps_rollup"));
  ASSERT_TRUE(rollup);
  EXPECT_EQ(rollup->resident_bytes, 44116U * 1024);
  EXPECT_EQ(rollup->proportional_bytes, 23898U * 1024);
  EXPECT_EQ(rollup->private_dirty_bytes, 7348U * 1024);
  EXPECT_FALSE(parse_smaps_rollup(""));
}

TEST(ParseTcpTable, ReadsARealTableWithoutSocketsThatBelongToNobody) {
  const auto sockets = parse_tcp_table(captured("npx/32360/net/tcp"));
  ASSERT_EQ(sockets.size(), 3U);
  EXPECT_EQ(sockets[0].inode, 175620U);
  EXPECT_EQ(sockets[0].state, 10);
  EXPECT_EQ(sockets[1].inode, 175621U);
  EXPECT_EQ(sockets[1].state, 1);
  EXPECT_TRUE(parse_tcp_table(captured("npx/32360/net/tcp6")).empty());
  EXPECT_TRUE(parse_tcp_table("").empty());
  EXPECT_TRUE(parse_tcp_table("heading\n 0: cut").empty());
}

TEST(ParseSocketLink, TakesTheInodeOfASocketAndOfNothingElse) {
  EXPECT_EQ(parse_socket_link("socket:[175620]"), 175620U);
  EXPECT_FALSE(parse_socket_link("pipe:[175620]"));
  EXPECT_FALSE(parse_socket_link("socket:[]"));
  EXPECT_FALSE(parse_socket_link("socket:[12"));
  EXPECT_FALSE(parse_socket_link("/tmp/socket:[12]"));
  EXPECT_FALSE(parse_socket_link(""));
}

TEST(ParseLastPid, TakesTheLastWord) {
  EXPECT_EQ(parse_last_pid(captured("npx/loadavg")), 32614);
  EXPECT_FALSE(parse_last_pid("0.1 0.2 0.3 1/2"));
  EXPECT_FALSE(parse_last_pid(""));
}

}  // namespace
}  // namespace weighbridge::sampling
