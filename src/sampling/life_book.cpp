#include "sampling/life_book.h"

#include <set>

#include "os/process_list.h"

namespace weighbridge::sampling {
namespace {

constexpr Duration kYoung = 2s;

}  // namespace

void LifeBook::update(std::span<const ProcessReader::Reading> readings, Instant at,
                      std::span<const os::ExitedChild> reaped) {
  for (const ProcessReader::Reading& reading : readings) note(reading.sample, at);
  std::map<pid_t, bool> orphan_by_pid;
  for (const os::ExitedChild& child : reaped) orphan_by_pid[child.pid] = child.orphan;
  const std::map<pid_t, std::size_t> before = alive_;
  for (const auto& [pid, life] : before) {
    if (lives_[life].last_seen == at) continue;
    const auto record = orphan_by_pid.find(pid);
    if (record != orphan_by_pid.end()) lives_[life].orphaned |= record->second;
    end(life, record == orphan_by_pid.end() && before.contains(lives_[life].last.parent));
  }
}

void LifeBook::note(const ProcessSample& sample, Instant at) {
  if (const auto known = alive_.find(sample.pid); known != alive_.end()) {
    ProcessLife& life = lives_[known->second];
    if (life.last.start_ticks == sample.start_ticks) {
      life.orphaned |= life.last.parent != sample.parent;  // adopted: its parent has ended
      // A new name tells that it has executed a program. A shell that executes a shell keeps the
      // name, but does so while it is young.
      if (life.last.name != sample.name || at - life.first_seen < kYoung)
        life.command = os::command_line(sample.pid, root_.path);
      life.last = sample;
      life.last_seen = at;
      return;
    }
    end(known->second, /*inherited_by_parent=*/false);
  }
  alive_[sample.pid] = lives_.size();
  lives_.push_back({.last = sample,
                    .command = os::command_line(sample.pid, root_.path),
                    .first_seen = at,
                    .last_seen = at});
}

void LifeBook::end(std::size_t life, bool inherited_by_parent) {
  const ProcessSample& last = lives_[life].last;
  ended_.minor_faults += last.minor_faults;
  ended_.major_faults += last.major_faults;
  ended_.voluntary_switches += last.voluntary_switches;
  ended_.involuntary_switches += last.involuntary_switches;
  // The kernel adds the bytes of a child to those of the parent that waits for it, unlike its
  // faults, which it books apart.
  if (!inherited_by_parent) {
    ended_.read_bytes = ended_.read_bytes.value_or(0) + last.read_bytes.value_or(0);
    ended_.written_bytes = ended_.written_bytes.value_or(0) + last.written_bytes.value_or(0);
  }
  alive_.erase(last.pid);
}

}  // namespace weighbridge::sampling
