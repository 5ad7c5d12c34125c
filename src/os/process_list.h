#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weighbridge::os {

/// The entries of a directory whose names are whole numbers; empty when it cannot be read.
std::vector<int> numeric_entries(const std::string& directory);

/// Whether the kernel offers /proc/<pid>/task/<tid>/children (CONFIG_PROC_CHILDREN), or a captured
/// tree under `proc` has it.
bool has_children_files(const std::string& proc = "/proc");

/// The children of `pid` by its threads' `children` files, in the kernel's order; empty when the
/// process is gone. The kernel promises no exact list while siblings end: callers read again.
std::vector<pid_t> children_of(pid_t pid, const std::string& proc = "/proc");

/// The numbers in the text of a `children` file.
void append_pids(std::string_view text, std::vector<pid_t>& pids);

/// Every process that /proc lists, with its parent, for kernels without `children` files. Costs a
/// read per process of the whole machine. Newest numbers first, each told as soon as it is read: a
/// caller that hunts a process which keeps forking must not wait for the end of the list.
struct ProcessLink {
  pid_t pid = 0;
  pid_t parent = 0;
};
void for_each_process(const std::function<void(const ProcessLink&)>& tell,
                      const std::string& proc = "/proc");

/// The command line with spaces between the words, cut at 4 KiB; "[name]" for a process that has
/// none (a zombie, a kernel thread); empty when it is gone.
std::string command_line(pid_t pid, const std::string& proc = "/proc");

/// The letter of /proc/<pid>/stat (R, S, D, T, Z, …); '\0' when the process is gone.
char process_state(pid_t pid, const std::string& proc = "/proc");

}  // namespace weighbridge::os
