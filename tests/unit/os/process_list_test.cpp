#include "os/process_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weighbridge::os {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kNpx = WEIGHBRIDGE_SOURCE_DIR "/tests/fixtures/proc/npx";
const std::string kShell = WEIGHBRIDGE_SOURCE_DIR "/tests/fixtures/proc/shell";
const std::string kNames = WEIGHBRIDGE_SOURCE_DIR "/tests/fixtures/proc/names";

TEST(ProcessList, FollowsALauncherChainByItsChildrenFiles) {
  EXPECT_TRUE(has_children_files(kNpx));
  EXPECT_THAT(children_of(32360, kNpx), ElementsAre(32362));
  // Started by another thread than the first.
  EXPECT_THAT(children_of(32362, kNpx), ElementsAre(32378));
  EXPECT_THAT(children_of(32378, kNpx), ElementsAre(32379));
  EXPECT_THAT(children_of(32379, kNpx), IsEmpty());
}

TEST(ProcessList, AProcessThatIsGoneHasNothing) {
  EXPECT_THAT(children_of(1, kNpx), IsEmpty());
  EXPECT_EQ(process_state(1, kNpx), '\0');
  EXPECT_EQ(command_line(1, kNpx), "");
  EXPECT_FALSE(has_children_files(kNpx + "/no-such-folder"));
}

TEST(ProcessList, FindsParentsWhateverTheProcessesCallThemselves) {
  std::vector<pid_t> below;
  for_each_process(
      [&](const ProcessLink& link) {
        if (link.parent == 1225) below.push_back(link.pid);
      },
      kNames);
  EXPECT_THAT(below, ElementsAre(1232, 1231, 1230));  // newest first
  EXPECT_EQ(process_state(1232, kNames), 'S');
}

TEST(ProcessList, GivesTheCommandLineOrTheNameOfOneThatHasNone) {
  EXPECT_EQ(command_line(32378, kNpx), "sh -c 'demo-server'");
  EXPECT_EQ(command_line(1176, kShell), "[python3]");
  EXPECT_EQ(process_state(1176, kShell), 'Z');
}

TEST(ProcessList, SeesALiveChildAndItsEnd) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  EXPECT_THAT(children_of(::getpid()), testing::Contains(child));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(process_state(child), '\0');
}

}  // namespace
}  // namespace weighbridge::os
