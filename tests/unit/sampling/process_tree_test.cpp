#include "sampling/process_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include "os/process_list.h"

namespace weighbridge::sampling {
namespace {

using testing::ElementsAre;

constexpr std::size_t kMayKeepOpen = 100;

ProcRoot captured(const std::string& name) {
  return {.path = WEIGHBRIDGE_SOURCE_DIR "/tests/fixtures/proc/" + name, .live = false};
}

/// The same tree as a kernel without `children` files shows it.
class WithoutChildrenFiles {
 public:
  explicit WithoutChildrenFiles(const std::string& name)
      : path_(std::filesystem::path(testing::TempDir()) /
              ("proc-" + name + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::copy(
        captured(name).path, path_,
        std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks);
    for (const auto& process : std::filesystem::directory_iterator(path_))
      if (process.is_directory()) std::filesystem::remove_all(process.path() / "task");
  }
  ~WithoutChildrenFiles() { std::filesystem::remove_all(path_); }
  [[nodiscard]] ProcRoot root() const { return {.path = path_, .live = false}; }

 private:
  std::filesystem::path path_;
};

TEST(ProcessTree, FindsALauncherChainParentsFirst) {
  ProcessTree tree(captured("npx"), kMayKeepOpen);
  EXPECT_TRUE(tree.by_children_files());
  EXPECT_THAT(tree.below(std::vector<pid_t>{32360}), ElementsAre(32362, 32378, 32379));
  EXPECT_THAT(tree.below(std::vector<pid_t>{32378}), ElementsAre(32379));
}

TEST(ProcessTree, FindsTheSameByScanningWhereThereAreNoChildrenFiles) {
  const WithoutChildrenFiles npx("npx");
  ProcessTree tree(npx.root(), kMayKeepOpen);
  EXPECT_FALSE(tree.by_children_files());
  EXPECT_THAT(tree.below(std::vector<pid_t>{32360}), ElementsAre(32362, 32378, 32379));
  const WithoutChildrenFiles names("names");
  EXPECT_THAT(ProcessTree(names.root(), kMayKeepOpen).below(std::vector<pid_t>{1225}),
              testing::UnorderedElementsAre(1230, 1231, 1232));
}

TEST(ProcessTree, FindsZombiesAndGrandchildren) {
  EXPECT_THAT(ProcessTree(captured("shell"), kMayKeepOpen).below(std::vector<pid_t>{1173}),
              ElementsAre(1175, 1176, 1177, 1178, 1179));
}

TEST(ProcessTree, ListsTheThreadsOfAProcessAnewOnlyWhenTheirNumberHasChanged) {
  // ThreadSanitizer starts a thread of its own with the first one.
  std::thread([] {}).join();
  std::atomic<bool> stop = false;
  pid_t child = 0;
  const std::vector<pid_t> self{::getpid()};
  ProcessTree tree({}, kMayKeepOpen);
  EXPECT_THAT(tree.below(self), testing::IsEmpty());
  std::atomic<bool> forked = false;
  std::thread forker([&] {
    child = ::fork();
    if (child == 0) {
      for (;;) ::pause();
    }
    forked = true;
    while (!stop) ::usleep(1000);
  });
  while (!forked) ::usleep(1000);
  const auto threads = os::numeric_entries("/proc/self/task").size();
  // The child is in the list of a thread that was not there at the first walk.
  EXPECT_THAT(tree.below_again(self, {{self[0], threads - 1}}), testing::IsEmpty());
  EXPECT_THAT(tree.below_again(self, {{self[0], threads}}), ElementsAre(child));
  EXPECT_THAT(tree.below_again(self, {{self[0], threads}}), ElementsAre(child));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_THAT(tree.below_again(self, {{self[0], threads}}), testing::IsEmpty());
  stop = true;
  forker.join();
}

TEST(ProcessTree, FindsMoreChildrenThanOneReadOfTheirListGives) {
  constexpr int kChildren = 1500;
  const pid_t parent = ::fork();
  if (parent == 0) {
    for (int i = 0; i < kChildren; ++i)
      if (::fork() == 0) {
        for (;;) ::pause();
      }
    for (;;) ::pause();
  }
  ProcessTree tree({}, kMayKeepOpen);
  std::vector<pid_t> found;
  for (int tries = 0; tries < 60'000 && found.size() < kChildren; ++tries) {
    ::usleep(1000);
    found = tree.below(std::vector<pid_t>{parent});
  }
  EXPECT_EQ(found.size(), kChildren);
  EXPECT_EQ(tree.below_again(std::vector<pid_t>{parent}, {{parent, 1}}), found);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1UL);  // or somebody else has to bury them
  ::kill(parent, SIGKILL);
  for (const pid_t pid : found) ::kill(pid, SIGKILL);
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0UL);
}

TEST(ProcessTree, SeveralTopsMayOverlap) {
  EXPECT_THAT(ProcessTree(captured("npx"), kMayKeepOpen).below(std::vector<pid_t>{32378, 32360}),
              ElementsAre(32379, 32362));
}

TEST(ProcessTree, NothingIsBelowAProcessThatIsGone) {
  EXPECT_THAT(ProcessTree(captured("npx"), kMayKeepOpen).below(std::vector<pid_t>{1}),
              testing::IsEmpty());
}

}  // namespace
}  // namespace weighbridge::sampling
