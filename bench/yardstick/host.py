"""The machine: which cores are used, what it is, and whether it is quiet enough for a clock's verdict."""

import dataclasses
import datetime
import gc
import os
import pathlib
import platform
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TICKS = os.sysconf("SC_CLK_TCK")

# docs/method.md, "Quiet host"
MOST_LOST = 0.02
WORST_GAP_MS = 20
# While a run goes, nobody can probe its cores; what others had of the machine stands in.
MOST_OTHERS = 0.05


@dataclasses.dataclass(frozen=True)
class Weather:
    lost: float  #: share of the time
    worst_gap_ms: float

    @property
    def quiet(self):
        return self.lost < MOST_LOST and self.worst_gap_ms <= WORST_GAP_MS


def probe(cores, seconds=0.04):
    """Spins on each core in turn; a gap above 10 us between two looks at the clock is lost time."""
    home = os.sched_getaffinity(0)
    lost = worst = 0
    gc.disable()
    try:
        for core in cores:
            os.sched_setaffinity(0, {core})
            last = time.perf_counter_ns()
            end = last + int(seconds * 1e9)
            while last < end:
                now = time.perf_counter_ns()
                if now - last > 10_000:
                    lost += now - last
                    worst = max(worst, now - last)
                last = now
    finally:
        gc.enable()
        os.sched_setaffinity(0, home)
    return Weather(lost / (seconds * 1e9 * len(cores)), worst / 1e6)


def busy_seconds():
    """Processor time of everybody since the start, all cores together."""
    user, nice, system, _, _, irq, softirq, *_ = map(
        int, pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:])
    return (user + nice + system + irq + softirq) / TICKS


def cpu_seconds_of(pid):
    """User and system time of one process without its children, also of one not yet reaped."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def choose_cores():
    """(server's, driver's): the first and the last that we may use."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        raise SystemExit("ceiling: needs two cores, one for the server and one for the driver")
    return cores[0], cores[-1]


def _first(path, key, separator):
    for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(separator)
        if name.strip() == key:
            return value.strip().strip('"')
    return "unknown"


def facts():
    git = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True,
                         check=False)
    return {
        "cpu": _first("/proc/cpuinfo", "model name", ":"),
        "logical_cpus": os.cpu_count(),
        "memory_gib": round(int(_first("/proc/meminfo", "MemTotal", ":").split()[0]) / 2**20, 1),
        "system": _first("/etc/os-release", "PRETTY_NAME", "="),
        "kernel": platform.release(),
        "machine": platform.machine(),
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "load_average": [round(each, 2) for each in os.getloadavg()],
        "nice": os.nice(0),
        "weighbridge": git.stdout.strip() or "unknown",
    }
