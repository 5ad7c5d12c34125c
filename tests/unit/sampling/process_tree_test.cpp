#include "sampling/process_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace weighbridge::sampling {
namespace {

using testing::ElementsAre;

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
  const ProcessTree tree(captured("npx"));
  EXPECT_TRUE(tree.by_children_files());
  EXPECT_THAT(tree.below(std::vector<pid_t>{32360}), ElementsAre(32362, 32378, 32379));
  EXPECT_THAT(tree.below(std::vector<pid_t>{32378}), ElementsAre(32379));
}

TEST(ProcessTree, FindsTheSameByScanningWhereThereAreNoChildrenFiles) {
  const WithoutChildrenFiles npx("npx");
  const ProcessTree tree(npx.root());
  EXPECT_FALSE(tree.by_children_files());
  EXPECT_THAT(tree.below(std::vector<pid_t>{32360}), ElementsAre(32362, 32378, 32379));
  const WithoutChildrenFiles names("names");
  EXPECT_THAT(ProcessTree(names.root()).below(std::vector<pid_t>{1225}),
              testing::UnorderedElementsAre(1230, 1231, 1232));
}

TEST(ProcessTree, FindsZombiesAndGrandchildren) {
  EXPECT_THAT(ProcessTree(captured("shell")).below(std::vector<pid_t>{1173}),
              ElementsAre(1175, 1176, 1177, 1178, 1179));
}

TEST(ProcessTree, SeveralTopsMayOverlap) {
  EXPECT_THAT(ProcessTree(captured("npx")).below(std::vector<pid_t>{32378, 32360}),
              ElementsAre(32379, 32362));
}

TEST(ProcessTree, NothingIsBelowAProcessThatIsGone) {
  EXPECT_THAT(ProcessTree(captured("npx")).below(std::vector<pid_t>{1}), testing::IsEmpty());
}

}  // namespace
}  // namespace weighbridge::sampling
