#include "os/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

namespace weighbridge::os {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> names_in(const fs::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory))
    names.push_back(entry.path().filename().string());
  return names;
}

/// Runs `body` in a process of its own, so that limits and mounts end with it. True if it did.
bool in_a_child(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body() ? 0 : 1);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// What a failed save says, through a pipe from the child in which it failed.
std::string failure_in_a_child(const std::function<Result<void>()>& body) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "no pipe";
  in_a_child([&] {
    const Result<void> saved = body();
    const std::string words = saved ? "saved" : describe(saved.error());
    return ::write(ends[1], words.data(), words.size()) == static_cast<ssize_t>(words.size());
  });
  ::close(ends[1]);
  char words[1024];
  const ssize_t got = ::read(ends[0], words, sizeof words);
  ::close(ends[0]);
  return {words, static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

/// A directory of its own that is gone after the test.
class SaveAtomically : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "weighbridge-file-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
    path_ = directory_ / "record.json";
  }
  void TearDown() override { fs::remove_all(directory_); }

  fs::path directory_;
  fs::path path_;
};

TEST_F(SaveAtomically, CreatesAFileThatOthersMayReadAsTheUmaskSays) {
  const mode_t umask_before = ::umask(027);
  ASSERT_TRUE(save_atomically(path_, "new\n"));
  ::umask(umask_before);
  EXPECT_EQ(text_of(path_), "new\n");
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms(0640));
  EXPECT_THAT(names_in(directory_), ElementsAre("record.json"));
}

TEST_F(SaveAtomically, ReplacesAFileAndKeepsItsMode) {
  ASSERT_TRUE(save_atomically(path_, "a much longer old text\n"));
  fs::permissions(path_, fs::perms(0604));
  ASSERT_TRUE(save_atomically(path_, "new\n"));
  EXPECT_EQ(text_of(path_), "new\n");
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms(0604));
  EXPECT_THAT(names_in(directory_), ElementsAre("record.json"));
}

TEST_F(SaveAtomically, LeavesAReaderOfTheOldFileWithTheOldFile) {
  ASSERT_TRUE(save_atomically(path_, "old"));
  std::ifstream reader(path_);
  ASSERT_TRUE(save_atomically(path_, "new"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "old");
}

TEST_F(SaveAtomically, FollowsALinkInsteadOfReplacingIt) {
  fs::create_directory(directory_ / "elsewhere");
  fs::create_symlink("elsewhere/real.json", path_);
  ASSERT_TRUE(save_atomically(path_, "new"));
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(text_of(directory_ / "elsewhere/real.json"), "new");
}

TEST_F(SaveAtomically, SavesIntoTheCurrentDirectory) {
  EXPECT_TRUE(in_a_child([&] {
    return ::chdir(directory_.c_str()) == 0 && save_atomically("record.json", "new").has_value();
  }));
  EXPECT_EQ(text_of(path_), "new");
}

TEST_F(SaveAtomically, SavesNothingAndMuch) {
  ASSERT_TRUE(save_atomically(path_, ""));
  EXPECT_EQ(fs::file_size(path_), 0U);
  const std::string much(2'000'000, 'x');
  ASSERT_TRUE(save_atomically(path_, much));
  EXPECT_EQ(text_of(path_), much);
}

TEST_F(SaveAtomically, SaysWhatToDoAboutAMissingDirectory) {
  const std::string path = (directory_ / "none/record.json").string();
  const auto saved = save_atomically(path, "new");
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code, ErrorCode::system);
  EXPECT_EQ(saved.error().system_errno, ENOENT);
  EXPECT_EQ(describe(saved.error()),
            "cannot save " + path +
                ": No such file or directory. Create the directory first, or save elsewhere");
}

TEST_F(SaveAtomically, RefusesWhatIsNoFile) {
  for (const std::string& path : {directory_.string(), std::string("/dev/null")}) {
    const auto saved = save_atomically(path, "new");
    ASSERT_FALSE(saved) << path;
    EXPECT_THAT(describe(saved.error()), HasSubstr("it is not a file"));
  }
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(SaveAtomically, LeavesTheOldFileAndNothingElseWhenTheSizeLimitIsReached) {
  ASSERT_TRUE(save_atomically(path_, "old"));
  const std::string words = failure_in_a_child([&] {
    const rlimit limit{.rlim_cur = 65536, .rlim_max = 65536};
    ::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return save_atomically(path_, std::string(100'000, 'x'));
  });
  EXPECT_EQ(words, "cannot save " + path_.string() +
                       ": File too large. Raise the limit on file sizes (ulimit -f), or save "
                       "elsewhere");
  EXPECT_EQ(text_of(path_), "old");
  EXPECT_THAT(names_in(directory_), ElementsAre("record.json"));
}

TEST_F(SaveAtomically, LeavesTheOldFileAndNothingElseWhenTheDiskIsFull) {
  const std::string words = failure_in_a_child([&]() -> Result<void> {
    // A mount namespace of its own: the mount ends with this child, however it ends.
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", directory_.c_str(), "tmpfs", 0, "size=128k") != 0)
      return fail(ErrorCode::usage, "no mount");
    WB_CHECK(save_atomically(path_, "old"));
    auto saved = save_atomically(path_, std::string(1'000'000, 'x'));
    if (text_of(path_) != "old" || names_in(directory_).size() != 1)
      return fail(ErrorCode::run, "the old file was touched, or something lies beside it");
    return saved;
  });
  if (words == "no mount")
    GTEST_SKIP() << "mounting is not permitted here; the size limit stands in for it";
  EXPECT_EQ(words, "cannot save " + path_.string() +
                       ": No space left on device. Free some space, or save elsewhere");
}

TEST_F(SaveAtomically, HoldsOneWholeTextWheneverItsWriterIsKilled) {
  const std::string first(300'000, 'a');
  const std::string second(300'000, 'b');
  ASSERT_TRUE(save_atomically(path_, first));
  for (int i = 0; i < 12; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      while (save_atomically(path_, second) && save_atomically(path_, first)) {
      }
      ::_exit(1);
    }
    ::usleep(static_cast<useconds_t>(500 + 700 * i));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string text = text_of(path_);
    EXPECT_TRUE(text == first || text == second);
  }
}

}  // namespace
}  // namespace weighbridge::os
