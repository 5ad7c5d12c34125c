#include "os/process_list.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>

#include "os/fd.h"
#include "os/read_file.h"

namespace weighbridge::os {
namespace {

constexpr std::size_t kCommandLimit = 4096;

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

std::string process_file(const std::string& proc, pid_t pid, const char* name) {
  return proc + "/" + std::to_string(pid) + "/" + name;
}

// State and parent stand behind the name, which may itself hold spaces and parentheses: "7 (a) b
// (c) S 3 …". Its last parenthesis is the last of the line.
struct StatHead {
  char state = '\0';
  pid_t parent = 0;
};
StatHead stat_head(const std::string& proc, pid_t pid) {
  const std::string text = read_file(process_file(proc, pid, "stat"), 512).value_or("");
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= text.size()) return {};
  StatHead head{.state = text[name_end + 2]};
  std::from_chars(text.data() + name_end + 4, text.data() + text.size(), head.parent);
  return head;
}

}  // namespace

std::vector<int> numeric_entries(const std::string& directory) {
  std::vector<int> numbers;
  const std::unique_ptr<DIR, CloseDirectory> open(::opendir(directory.c_str()));
  if (!open) return numbers;
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string_view name = entry->d_name;
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

bool has_children_files(const std::string& proc) {
  // A process always has a thread of its own number, its first.
  const auto pids = numeric_entries(proc);
  return std::any_of(pids.begin(), pids.end(), [&](pid_t pid) {
    const std::string path = process_file(proc, pid, "task/") + std::to_string(pid) + "/children";
    return ::access(path.c_str(), F_OK) == 0;
  });
}

void append_pids(std::string_view text, std::vector<pid_t>& pids) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    pid_t pid = 0;
    const auto [next, error] = std::from_chars(at, end, pid);
    if (error == std::errc()) pids.push_back(pid);
    at = error == std::errc() ? next : at + 1;
  }
}

std::vector<pid_t> children_of(pid_t pid, const std::string& proc) {
  std::vector<pid_t> children;
  const std::string tasks = process_file(proc, pid, "task");
  for (const pid_t thread : numeric_entries(tasks)) {
    const auto text = read_file(tasks + "/" + std::to_string(thread) + "/children");
    if (text) append_pids(*text, children);
  }
  return children;
}

void for_each_process(const std::function<void(const ProcessLink&)>& tell,
                      const std::string& proc) {
  auto pids = numeric_entries(proc);
  std::sort(pids.rbegin(), pids.rend());
  for (const pid_t pid : pids)
    if (const StatHead head = stat_head(proc, pid); head.state != '\0')
      tell({.pid = pid, .parent = head.parent});
}

std::string command_line(pid_t pid, const std::string& proc) {
  std::string text = read_file(process_file(proc, pid, "cmdline"), kCommandLimit).value_or("");
  while (!text.empty() && text.back() == '\0') text.pop_back();
  std::replace(text.begin(), text.end(), '\0', ' ');
  if (!text.empty()) return text;
  std::string name = read_file(process_file(proc, pid, "comm")).value_or("");
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return name.empty() ? "" : "[" + name + "]";
}

char process_state(pid_t pid, const std::string& proc) {
  return stat_head(proc, pid).state;
}

}  // namespace weighbridge::os
