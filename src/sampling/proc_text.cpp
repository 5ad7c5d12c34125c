#include "sampling/proc_text.h"

#include <signal.h>

#include <array>
#include <charconv>

namespace weighbridge::sampling {
namespace {

constexpr std::uint64_t kKib = 1024;

template <typename Number>
std::optional<Number> to_number(std::string_view text, int base = 10) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Takes words off the front of a text, and lines.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}
  std::string_view word() {
    const std::size_t begin = rest_.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos) return rest_ = {};
    const std::size_t end = std::min(rest_.find_first_of(" \t\n", begin), rest_.size());
    const std::string_view found = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end);
    return found;
  }
  template <typename Number>
  Number number() {
    return to_number<Number>(word()).value_or(Number{});
  }
  std::string_view line() {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return found;
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

/// Calls `field(name, value)` for every "Name:\tvalue" line.
template <typename Field>
void for_each_field(std::string_view text, Field field) {
  for (Cursor cursor(text); !cursor.at_end();) {
    const std::string_view line = cursor.line();
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) field(line.substr(0, colon), line.substr(colon + 1));
  }
}

std::uint64_t first_number(std::string_view value, int base = 10) {
  return to_number<std::uint64_t>(Cursor(value).word(), base).value_or(0);
}

}  // namespace

std::optional<StatFields> parse_stat(std::string_view text) {
  // "pid (name) state ppid …": the name may hold anything, so it ends at the last parenthesis.
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return std::nullopt;
  // Numbers of the fields as proc(5) counts them; the state is the third.
  constexpr int kParent = 4, kMinorFaults = 10, kMajorFaults = 12, kUserTicks = 14, kStart = 22;
  StatFields fields;
  fields.pid = Cursor(text).number<pid_t>();
  fields.name = text.substr(open + 1, close - open - 1);
  Cursor cursor(text.substr(close + 1));
  const std::string_view state = cursor.word();
  if (state.size() != 1) return std::nullopt;
  fields.state = state[0];
  std::array<std::uint64_t, kStart + 1> numbers{};
  for (int field = kParent; field <= kStart; ++field) {
    const std::string_view word = cursor.word();
    if (word.empty()) return std::nullopt;
    // Some are signed (priority, terminal), and none of those is read.
    numbers[field] = to_number<std::uint64_t>(word).value_or(0);
  }
  fields.parent = static_cast<pid_t>(numbers[kParent]);
  fields.minor_faults = numbers[kMinorFaults];
  fields.major_faults = numbers[kMajorFaults];
  fields.user_ticks = numbers[kUserTicks];
  fields.system_ticks = numbers[kUserTicks + 1];
  fields.children_user_ticks = numbers[kUserTicks + 2];
  fields.children_system_ticks = numbers[kUserTicks + 3];
  fields.start_ticks = numbers[kStart];
  return fields;
}

std::optional<StatusFields> parse_status(std::string_view text) {
  StatusFields fields;
  bool complete = false;
  for_each_field(text, [&](std::string_view name, std::string_view value) {
    if (name == "VmRSS")
      fields.resident_bytes = first_number(value) * kKib;
    else if (name == "VmHWM")
      fields.high_water_bytes = first_number(value) * kKib;
    else if (name == "Threads")
      fields.threads = first_number(value);
    else if (name == "SigIgn")
      fields.ignores_child_signal = (first_number(value, 16) >> (SIGCHLD - 1) & 1) != 0;
    else if (name == "voluntary_ctxt_switches")
      fields.voluntary_switches = first_number(value);
    else if (name == "nonvoluntary_ctxt_switches") {
      fields.involuntary_switches = first_number(value);
      complete = true;
    }
  });
  return complete ? std::optional(fields) : std::nullopt;
}

std::optional<IoFields> parse_io(std::string_view text) {
  IoFields fields;
  int found = 0;
  for_each_field(text, [&](std::string_view name, std::string_view value) {
    if (name == "rchar") {
      fields.read_bytes = first_number(value);
      ++found;
    } else if (name == "wchar") {
      fields.written_bytes = first_number(value);
      ++found;
    }
  });
  return found == 2 ? std::optional(fields) : std::nullopt;
}

std::optional<RollupFields> parse_smaps_rollup(std::string_view text) {
  RollupFields fields;
  bool found = false;
  for_each_field(text, [&](std::string_view name, std::string_view value) {
    if (name == "Rss") {
      fields.resident_bytes = first_number(value) * kKib;
    } else if (name == "Pss") {
      fields.proportional_bytes = first_number(value) * kKib;
      found = true;
    } else if (name == "Private_Dirty") {
      fields.private_dirty_bytes = first_number(value) * kKib;
    }
  });
  return found ? std::optional(fields) : std::nullopt;
}

std::vector<TcpSocket> parse_tcp_table(std::string_view text) {
  // "sl local remote st tx:rx tr:when retrnsmt uid timeout inode …" under a heading.
  constexpr int kState = 3, kInode = 9;
  std::vector<TcpSocket> sockets;
  Cursor cursor(text);
  cursor.line();
  while (!cursor.at_end()) {
    Cursor line(cursor.line());
    TcpSocket socket;
    for (int column = 0; column <= kInode; ++column) {
      const std::string_view word = line.word();
      if (column == kState) socket.state = to_number<std::uint8_t>(word, 16).value_or(0);
      if (column == kInode) socket.inode = to_number<std::uint64_t>(word).value_or(0);
    }
    if (socket.inode != 0) sockets.push_back(socket);
  }
  return sockets;
}

std::optional<std::uint64_t> parse_socket_link(std::string_view target) {
  constexpr std::string_view kPrefix = "socket:[";
  if (!target.starts_with(kPrefix) || !target.ends_with(']')) return std::nullopt;
  target.remove_prefix(kPrefix.size());
  target.remove_suffix(1);
  return to_number<std::uint64_t>(target);
}

std::optional<pid_t> parse_last_pid(std::string_view loadavg) {
  // "0.24 0.10 0.05 1/123 4567"
  Cursor cursor(loadavg);
  for (int word = 0; word < 4; ++word) cursor.word();
  return to_number<pid_t>(cursor.word());
}

}  // namespace weighbridge::sampling
