#include "sampling/tree_reader.h"

#include <algorithm>
#include <optional>
#include <set>
#include <thread>

#include "os/cpu_clock.h"
#include "os/real_clock.h"

namespace weighbridge::sampling {
namespace {

// How often a reading is begun again because the supervisor reaped meanwhile.
constexpr int kAttempts = 5;

// A sum over all, or nothing: a sum that lacks one is no sum.
template <typename Number>
void add(std::optional<Number>& sum, const std::optional<Number>& part) {
  sum = sum && part ? std::optional(*sum + *part) : std::nullopt;
}

TreeSample add_up(const std::vector<ProcessReader::Reading>& readings, const TreeSample& ended) {
  TreeSample sum = ended;
  sum.high_water_bytes = sum.descriptors = 0;
  sum.read_bytes = ended.read_bytes.value_or(0);
  sum.written_bytes = ended.written_bytes.value_or(0);
  for (const ProcessReader::Reading& reading : readings) {
    const ProcessSample& process = reading.sample;
    sum.minor_faults += process.minor_faults;
    sum.major_faults += process.major_faults;
    sum.voluntary_switches += process.voluntary_switches;
    sum.involuntary_switches += process.involuntary_switches;
    add(sum.read_bytes, process.read_bytes);
    add(sum.written_bytes, process.written_bytes);
    if (reading.zombie) continue;  // has ended, but for its entry in the table
    ++sum.processes;
    sum.resident_bytes += process.resident_bytes;
    sum.threads += process.threads;
    add(sum.high_water_bytes, process.high_water_bytes);
    add(sum.descriptors, process.descriptors);
  }
  return sum;
}

}  // namespace

TreeReader::TreeReader(const Roots& roots, const ProcRoot& root)
    : supervisor_(roots.supervisor),
      root_(root),
      members_(roots, root),
      lives_(root),
      sockets_(root) {
  if (!members_.by_children_files())
    note_missing("list of children (task/children)", "parents of all processes of the machine");
}

TreeSample TreeReader::read(Effort effort) {
  const Snapshot snapshot = take_snapshot(effort);
  lives_.update(snapshot.readings, snapshot.at, snapshot.reaped);
  note_refusals(snapshot.readings);
  TreeSample sample = add_up(snapshot.readings, lives_.ended());
  sample.at = snapshot.at;
  const CpuTime cpu = account(snapshot);
  sample.cpu = cpu.total;
  sample.user = cpu.user;
  sample.system = cpu.system;
  count_sockets(effort, sample);
  return sample;
}

TreeReader::Snapshot TreeReader::take_snapshot(Effort effort) {
  const bool detailed = effort == Effort::everything || detail_source_.due(os::now());
  const ProcessReader::Depth depth{.switches_of_all_threads = detailed,
                                   .listed_descriptors = detailed};
  const Duration before = os::thread_cpu_time();
  Snapshot snapshot = attempt(depth);
  if (detailed) detail_source_.charge(os::thread_cpu_time() - before, snapshot.at);
  records_read_ += snapshot.reaped.size();
  if (supervisor_ != nullptr) add_newer_records(snapshot);
  return snapshot;
}

// A target that loses processes faster than its tree can be read disturbs every attempt. Who ended
// before it was its turn to be read is found among the newer records; who ended after that is among
// the living this time, and its record waits for the next reading.
void TreeReader::add_newer_records(Snapshot& snapshot) {
  const std::vector<os::ExitedChild> newer = supervisor_->exited_since(records_read_);
  records_read_ += newer.size();
  snapshot.reaped.insert(snapshot.reaped.begin(), waiting_.begin(), waiting_.end());
  waiting_.clear();
  if (newer.empty()) return;
  std::set<pid_t> read;
  for (const ProcessReader::Reading& reading : snapshot.readings) read.insert(reading.sample.pid);
  for (const os::ExitedChild& record : newer)
    (read.contains(record.pid) ? waiting_ : snapshot.reaped).push_back(record);
}

// The supervisor's generation is even, and the same before and after: nobody vanished while the
// living were read, so that each process is either among them or among the reaped.
TreeReader::Snapshot TreeReader::attempt(const ProcessReader::Depth& depth) {
  Snapshot snapshot;
  for (int left = kAttempts; left > 0; --left) {
    const std::uint32_t generation = supervisor_ != nullptr ? supervisor_->reap_generation() : 0;
    if (generation % 2 != 0 && left > 1) {
      std::this_thread::yield();  // within a system call of being even
      continue;
    }
    snapshot.at = os::now();
    if (supervisor_ != nullptr) snapshot.reaped = supervisor_->exited_since(records_read_);
    members_.refresh();
    snapshot.readings = members_.read(depth);
    if (supervisor_ == nullptr) break;
    snapshot.cgroup = supervisor_->cgroup_cpu();
    if (supervisor_->reap_generation() == generation) break;
  }
  return snapshot;
}

CpuTime TreeReader::account(const Snapshot& snapshot) {
  std::vector<LiveCpu> live;
  live.reserve(snapshot.readings.size());
  for (const ProcessReader::Reading& reading : snapshot.readings) live.push_back(reading.cpu);
  std::vector<ReapedCpu> reaped;
  for (const os::ExitedChild& child : snapshot.reaped)
    reaped.push_back(
        {.pid = child.pid,
         .usage = {
             .total = child.user + child.system, .user = child.user, .system = child.system}});
  CpuTime cpu = ledger_.update(live, reaped);
  if (snapshot.cgroup) {
    // It alone knows children that nobody waited for; where there are none the two differ by the
    // rounding of the one and the lag of the other.
    has_cgroup_ = true;
    cpu_only_in_cgroup_ = std::max(cpu_only_in_cgroup_, snapshot.cgroup->total - cpu.total);
    cpu = larger(cpu, {.total = snapshot.cgroup->total,
                       .user = snapshot.cgroup->user,
                       .system = snapshot.cgroup->system});
  }
  return reported_cpu_ = at_least(reported_cpu_, cpu);
}

void TreeReader::note_refusals(const Readings& readings) {
  for (const ProcessReader::Reading& reading : readings) {
    if (reading.zombie) continue;
    const ProcessSample& process = reading.sample;
    if (!process.read_bytes) note_missing("bytes read and written (io)", "none");
    if (!process.descriptors && !members_.must_list_descriptors())
      note_missing("count of descriptors (fd)", "none");
    if (!process.high_water_bytes) note_missing("high-water mark (VmHWM)", "largest sampled sum");
    if (reading.ignores_child_signal && !has_cgroup_)
      note_missing("processor time of children that are not waited for (cgroup cpu.stat)",
                   "what was last seen of each");
  }
}

void TreeReader::count_sockets(Effort effort, TreeSample& sample) {
  if (effort != Effort::everything && !socket_source_.due(sample.at)) return;
  const Duration before = os::thread_cpu_time();
  sample.sockets = sockets_.count(members_.pids());
  socket_source_.charge(os::thread_cpu_time() - before, sample.at);
  if (sockets_.used_tables())
    note_missing("dump of sockets (sock_diag)", "tables of /proc/<pid>/net");
  if (!sample.sockets) note_missing("sockets by state", "none");
}

MemoryMoment TreeReader::read_moment() {
  const Snapshot snapshot = take_snapshot(Effort::everything);
  lives_.update(snapshot.readings, snapshot.at, snapshot.reaped);
  account(snapshot);
  MemoryMoment moment{
      .at = snapshot.at, .proportional_bytes = 0, .private_dirty_bytes = 0, .processes = {}};
  for (const ProcessReader::Reading& reading : snapshot.readings) {
    if (reading.zombie) continue;
    const auto rollup = read_rollup(root_, reading.sample.pid);
    add(moment.proportional_bytes,
        rollup ? std::optional(rollup->proportional_bytes) : std::nullopt);
    add(moment.private_dirty_bytes,
        rollup ? std::optional(rollup->private_dirty_bytes) : std::nullopt);
    moment.resident_bytes += reading.sample.resident_bytes;
    moment.processes.push_back(reading.sample);
    if (rollup) moment.processes.back().proportional_bytes = rollup->proportional_bytes;
  }
  if (!moment.proportional_bytes)
    note_missing("proportional set (smaps_rollup)", "resident set (VmRSS)");
  return moment;
}

bool TreeReader::reset_high_water() {
  members_.refresh();
  bool all = true;
  for (const pid_t pid : members_.pids())
    if (!sampling::reset_high_water(root_, pid)) all = false;
  if (!all) note_missing("reset of the high-water mark (clear_refs)", "largest sampled sum");
  return all;
}

void TreeReader::describe(Trace& trace) const {
  trace.processes = lives_.lives();
  // Adopted before it was first seen: it is a child of the supervisor that the supervisor did not
  // start.
  for (ProcessLife& life : trace.processes)
    if (supervisor_ != nullptr && life.last.parent == supervisor_->pid())
      life.orphaned |= !supervisor_->has_spawned(life.last.pid);
  trace.missing = missing_;
  trace.cpu_source = has_cgroup_ ? CpuSource::processes_or_cgroup : CpuSource::processes;
  trace.cpu_only_in_cgroup = cpu_only_in_cgroup_;
}

void TreeReader::note_missing(const char* source, const char* fallback) {
  const bool noted = std::any_of(missing_.begin(), missing_.end(),
                                 [&](const MissingSource& each) { return each.source == source; });
  if (!noted) missing_.push_back({.source = source, .fallback = fallback});
}

}  // namespace weighbridge::sampling
