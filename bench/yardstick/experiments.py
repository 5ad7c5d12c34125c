"""The rows of the table. An experiment takes a Bench and returns its Row."""

import contextlib
import dataclasses
import fnmatch
import os
import pathlib
import signal
import statistics
import sys
import threading
import time

from . import drive, host
from .spread import ratio_spread, spread

NOT_QUIET = "not judged: host not quiet"
QUICK = "not judged: quick run"
#: Verdicts by the clock need so many quiet runs, and so many are tried.
QUIET_RUNS, MOST_RUNS = 10, 20

SIZES = {
    "200": ("200 B", ["--bytes=200"]),
    "12k": ("12 KB", ["--bytes=12000"]),
    "3m-first": ("3.2 MB, id first", ["--bytes=3200000", "--id=first"]),
    "3m-last": ("3.2 MB, id last", ["--bytes=3200000", "--id=last"]),
}
CPU_BOUNDS = {"200": 0.9, "12k": 0.9, "3m-first": 0.5, "3m-last": 0.6}
SSE_BOUND = 1.25
#: The other tools meet replies of these sizes only; they are too slow for the long ones.
PEER_SIZES = ("200", "12k")
WORK_US = 20
STDIO_BOUNDS = {"200": 150_000, "12k": 100_000}


@dataclasses.dataclass
class Row:
    id: str
    what: str
    ours: str
    theirs: str = ""
    ratio: str = ""
    bound: str = ""
    verdict: str = ""
    values: dict = dataclasses.field(default_factory=dict)  #: what the texts were made from, for --json


def say(text):
    print(f"ceiling: {text}", file=sys.stderr, flush=True)


def judge(bench, met, quiet=True):
    """A bound missed by a noisy host is no verdict; one that is met in spite of it is."""
    if bench.quick:
        return QUICK
    return "met" if met else "missed" if quiet else NOT_QUIET


def interleaved(arms, rounds):
    """A B … B A …: every round runs each arm once, every other round backwards."""
    runs = {name: [] for name in arms}
    for number in range(rounds):
        for name in list(arms)[:: 1 if number % 2 == 0 else -1]:
            runs[name].append(arms[name]())
    return runs


def quiet_first(bench, once, is_quiet):
    """(results, whether they may be judged, a note): enough quiet ones, else all that were tried."""
    tried = []
    for _ in range(2 if bench.quick else MOST_RUNS):
        tried.append(once(len(tried)))
        quiet = [each for each in tried if is_quiet(each)]
        if len(quiet) == QUIET_RUNS:
            return quiet, True, f"{QUIET_RUNS} quiet runs of {len(tried)}"
    return tried, False, f"{len(tried)} runs, {len(quiet)} of them quiet"


# Processor time per call over HTTP


def http_rows(bench, size, wanted):
    """The rows of one size of reply: against wrk, as events, against the other tools."""
    words, flags = SIZES[size]
    cpu, sse = f"cpu-{size}" in wanted, f"sse-{size}" in wanted
    peers = [tool for tool in bench.tools if tool != "wrk" and f"{tool}-{size}" in wanted]
    tools = [*(["wrk"] if cpu and "wrk" in bench.tools else []), *peers]
    if not (cpu or sse or peers):
        return []
    say(f"processor time per call, {words}: weighbridge{''.join(', ' + tool for tool in tools)}")
    with bench.server(*flags) as json_server, bench.server(*flags, "--sse") as sse_server:
        arms = {"ours": (drive.ours, json_server), **{tool: (drive.TOOLS[tool], json_server) for tool in tools}}
        if sse:
            arms["sse"] = (drive.ours, sse_server)
        fixed = {name: least(tool, bench, server) for name, (tool, server) in arms.items()}
        runs = interleaved({name: lambda tool=tool, server=server: tool(bench, server, bench.seconds)
                            for name, (tool, server) in arms.items()}, bench.rounds)
    costs = {name: [per_call(run, *fixed[name]) for run in each] for name, each in runs.items()}
    quiet = 2 * sum(run.quiet for each in runs.values() for run in each) > sum(map(len, runs.values()))
    common = {"fixed_cpu_seconds": {name: cpu for name, (cpu, _) in fixed.items()},
              "quiet_runs": {name: sum(run.quiet for run in each) for name, each in runs.items()}}

    def row(name, what, ours, theirs, bound, met):
        pairs = list(zip(costs[ours], costs[theirs], strict=True)) if theirs in costs else []
        ratio = ratio_spread(pairs)
        verdict = "" if met is None else judge(bench, met(ratio), quiet) if ratio else "not judged: no wrk"
        return Row(f"{name}-{size}", f"{what}, {words}", micro(costs[ours]), micro(costs[theirs]) if pairs else "—",
                   ratio.text() if ratio else "—", bound, verdict,
                   {"pairs_us": pairs, "ratio": dataclasses.asdict(ratio) if ratio else None, **common})

    rows = []
    if cpu:
        bound = CPU_BOUNDS[size]
        rows.append(row("cpu", "CPU µs per checked call, wrk", "ours", "wrk", f"≤ {bound}",
                        lambda ratio: ratio.median <= bound))
    if sse:
        rows.append(row("sse", "CPU µs per call, chunked SSE against JSON", "sse", "ours",
                        f"interval < {SSE_BOUND}", lambda ratio: ratio.high < SSE_BOUND))
    rows += [row(tool, f"CPU µs per checked call, {tool}", "ours", tool, "", None) for tool in peers]
    return rows


def least(tool, bench, server):
    """(processor time, calls) of the smallest run there is: start, probes and report, not calls."""
    runs = [tool(bench, server, 0) for _ in range(1 if bench.quick else 3)]
    middle = sorted(runs, key=lambda run: run.cpu)[len(runs) // 2]
    return middle.cpu, middle.calls


def per_call(run, fixed_cpu, fixed_calls):
    """Microseconds."""
    if run.calls <= fixed_calls or run.cpu <= fixed_cpu:
        raise drive.Trouble(f"too short a run: {run.calls} calls in {run.cpu:.3f} s")
    return (run.cpu - fixed_cpu) / (run.calls - fixed_calls) * 1e6


def micro(costs):
    middle = statistics.median(costs)
    return f"{middle:.2f}" if middle < 100 else f"{middle:.0f}"


def stdio_row(bench, size):
    words, flags = SIZES[size]
    bound = STDIO_BOUNDS[size]
    say(f"stdio, {words}")
    tally = bench.folder / "tally"

    def once(*pace):
        tally.write_text("", encoding="utf-8")
        run = bench.load("--parallel", 4, *pace, "--driver-cpus", bench.driver_core, "--target-cpus",
                         bench.server_core, pin=False,
                         command=[bench.null_server(), "--stdio", f"--tally={tally}", *flags])
        run.calls = sum(map(int, tally.read_text(encoding="utf-8").split()))
        return run

    fixed = statistics.median(once("--requests", 4).own_cpu for _ in range(3))
    runs = [once("--duration", f"{bench.seconds}s") for _ in range(bench.rounds)]
    rates = spread([run.calls / (run.own_cpu - fixed) for run in runs])
    quiet = 2 * sum(run.quiet for run in runs) > len(runs)
    return Row(f"stdio-{size}", f"calls per driver core-second, stdio over socketpairs, {words}, 4 in flight",
               rates.text("{:,.0f}"), bound=f"≥ {bound:,}", verdict=judge(bench, rates.median >= bound, quiet),
               values={"fixed_cpu_seconds": {"ours": fixed}, "rates": dataclasses.asdict(rates)})


# Memory and connections


def crowd_rows(bench, wanted):
    """1000 credentials with four connections each, one call apiece."""
    say("1000 credentials x 4 connections")
    seen = {"peak_mib": 0.0, "begin": None, "all": None, "most": 0}

    def watch(pid):
        with contextlib.suppress(OSError, TypeError):
            seen["peak_mib"] = max(seen["peak_mib"], status_kib(pid, "VmHWM") / 1024)
            count, now = descriptors(pid), time.monotonic()
            seen["most"] = max(seen["most"], count)
            if seen["all"] is None:
                if count < 100:
                    seen["begin"] = now
                elif count >= 4000:
                    seen["all"] = now

    runs, spans, peaks = [], [], []
    with bench.server() as server:
        for _ in range(1 if bench.quick else 5):
            seen.update(peak_mib=0.0, begin=None, all=None)
            runs.append(bench.load("--credentials", 1000, "--parallel", 4, "--requests", 4000, server=server,
                                   watch=watch))
            peaks.append(seen["peak_mib"])
            if seen["begin"] and seen["all"]:
                spans.append((seen["all"] - seen["begin"]) * 1e3)
    quiet = any(run.quiet for run in runs)
    peak, span = statistics.median(peaks), statistics.median(spans) if spans else None
    rows = [Row("memory", "driver's peak resident MiB, 1000 credentials × 4 connections, one call each",
                f"{peak:.1f}", bound="≤ 20", verdict=judge(bench, peak <= 20, True), values={"peaks_mib": peaks}),
            Row("connections", "4000 connections opened, ms (none refused)", f"{span:.0f}" if span else "—",
                bound="< 1000", verdict=judge(bench, span is not None and span < 1000, quiet),
                values={"spans_ms": spans, "most_descriptors": seen["most"],
                        "connect_ms_in_records": [run.record["steps"][0]["driver"]["connect_ms"] for run in runs]})]
    return [row for row in rows if row.id in wanted]


def samples_row(bench):
    """Resident set against calls made, while it runs."""
    say("memory of a sample")
    points = []
    with bench.server() as server:
        def watch(pid):
            if points and time.monotonic() - points[-1][0] < 0.1:
                return
            with contextlib.suppress(OSError, TypeError):
                points.append((time.monotonic(), server.calls(), resident_bytes(pid)))

        seconds = 2 if bench.quick else 8
        run = bench.load("--parallel", drive.CONNECTIONS, "--duration", f"{seconds}s", server=server, watch=watch)
    first = points[0][1]
    # The run's first and last tenth are other work: connecting, and making the report.
    within = [(calls, size) for _, calls, size in points if 0.1 < (calls - first) / run.calls < 0.9]
    if len(within) < 3:
        raise drive.Trouble("too few readings of the resident set")
    slope = statistics.linear_regression(*zip(*within, strict=True)).slope
    # To the byte: what else grows meanwhile (ticks, the allocator) is of no call's making.
    return Row("samples", "resident bytes per call kept", f"{slope:.1f}", bound="≤ 16, to the byte",
               verdict=judge(bench, round(slope) <= 16), values={"readings": within})


def status_kib(pid, key):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1])
    return None  # a process that has ended


def resident_bytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines():
        if line.startswith("Rss:"):
            return int(line.split()[1]) * 1024
    return None


def descriptors(pid):
    # Linux 6.2 and later tell the number as the directory's size.
    return os.stat(f"/proc/{pid}/fd").st_size or len(os.listdir(f"/proc/{pid}/fd"))


# By the clock


def clock_runs(bench, *flags):
    length = "2s" if bench.quick else "5s"
    with bench.server() as server:
        return quiet_first(bench, lambda _: bench.load("--duration", length, *flags, server=server),
                           lambda run: run.quiet)


def lateness_row(bench):
    say("lateness at 500/s")
    runs, enough, note = clock_runs(bench, "--rate", 500)
    late = [run.record["steps"][0]["lateness"] for run in runs]
    p50, p99 = (spread([each[key] * 1e3 for each in late]) for key in ("p50_ms", "p99_ms"))
    met = enough and p50.median <= 5 and p99.median <= 100
    return Row("lateness", f"open loop 500/s: lateness p50 / p99, µs ({note})",
               f"{p50.text('{:.1f}')} / {p99.text('{:.1f}')}", bound="≤ 5 / ≤ 100",
               verdict=judge(bench, met, enough), values={"lateness": late})


def rate_row(bench):
    say("rate accuracy at 1000/s")
    runs, enough, note = clock_runs(bench, "--rate", 1000)
    windows = []
    for run in runs:
        step = run.record["steps"][0]
        windows += step["sent_per_tick"][:round(step["planned_seconds"] * 1e3 / step["tick_ms"])]
    share = sum(abs(count - 100) <= 2 for count in windows) / len(windows)
    return Row("rate", f"open loop 1000/s: 100 ms windows with 98 to 102 calls ({note})",
               f"{share:.1%} of {len(windows)}", bound="≥ 99 %", verdict=judge(bench, enough and share >= 0.99, enough),
               values={"windows": windows})


def throughput_row(bench):
    """What both say of a server that is slower than they are: it alone sets the pace. Without work of its
    own the server is faster than wrk, and the row would compare the clients."""
    say("closed-loop throughput, wrk and weighbridge")
    tools = {"ours": drive.ours, "wrk": drive.wrk}
    with bench.server(f"--work={WORK_US}") as server:
        def pair(number):
            order = list(tools)[:: 1 if number % 2 == 0 else -1]
            return {name: tools[name](bench, server, bench.seconds) for name in order}

        runs, enough, note = quiet_first(bench, pair, lambda pair: all(run.quiet for run in pair.values()))
    pairs = [(pair["ours"].record["steps"][0]["rate"], wrk_rate(pair["wrk"].out)) for pair in runs]
    ratio = ratio_spread(pairs)
    ours, theirs = (f"{statistics.median(side):,.0f}" for side in zip(*pairs, strict=True))
    return Row("throughput", f"closed loop on a server that works {WORK_US} µs a call, calls/s, wrk ({note.replace('runs', 'pairs')})", ours, theirs,
               ratio.text("{:.3f}"), "0.95 to 1.05", judge(bench, enough and abs(ratio.median - 1) <= 0.05, enough),
               {"pairs": pairs})


def wrk_rate(out):
    return float(out.split("Requests/sec:")[1].split()[0])


def frozen_row(bench):
    """A server that stands still one second in every four. A quarter of the calls falls due meanwhile and
    waits evenly between 0 and 1 s: a tenth of all waits 600 ms or more, a hundredth 960 ms."""
    say("a server frozen 1 s in every 4")
    seconds = 8 if bench.quick else 40
    others = []
    with bench.server() as server, freezing(server.pid):
        run = bench.load("--rate", 100, "--duration", f"{seconds}s", server=server)
        if "wrk" in bench.tools:
            out = drive.wrk(bench, server, 8).out
            others.append("wrk " + " / ".join(wrk_percentile(out, q) for q in ("90%", "99%")))
        if "mcp-stress" in bench.tools:
            overall = drive.last_json(drive.mcp_stress(bench, server, 8).out)["overall"]
            others.append(f"mcp-stress – / {overall['p99']:.3g} ms")
    latency = run.record["steps"][0]["latency"]
    p90, p99 = latency["p90_ms"], latency["p99_ms"]
    met = abs(p90 - 600) <= 0.05 * 600 and abs(p99 - 960) <= 0.05 * 960
    return Row("frozen", "open loop 100/s, server frozen 1 s in every 4: p90 / p99, ms", f"{p90:.0f} / {p99:.0f}",
               ", ".join(others) or "—", "", "600 / 960 ± 5 %", judge(bench, met), {"latency": latency})


def wrk_percentile(out, name):
    return next(line.split()[1] for line in out.splitlines() if line.split()[:1] == [name])


@contextlib.contextmanager
def freezing(pid):
    done = threading.Event()

    def freeze():
        due = time.monotonic()
        while not done.wait(max(0.0, due + 3 - time.monotonic())):
            os.kill(pid, signal.SIGSTOP)
            done.wait(max(0.0, due + 4 - time.monotonic()))
            os.kill(pid, signal.SIGCONT)
            due += 4

    thread = threading.Thread(target=freeze)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


# All of them


def row_ids(tools):
    peers = [f"{tool}-{size}" for size in PEER_SIZES for tool in tools if tool != "wrk"]
    return [*(f"cpu-{size}" for size in SIZES), *(f"sse-{size}" for size in SIZES), *peers,
            *(f"stdio-{size}" for size in STDIO_BOUNDS), "memory", "samples", "connections", "lateness", "rate",
            "frozen", "throughput"]


def chosen(tools, pattern):
    return [row for row in row_ids(tools) if fnmatch.fnmatchcase(row, pattern)]


def run_all(bench, wanted):
    rows = []
    for size in SIZES:
        rows += http_rows(bench, size, wanted)
    rows += [stdio_row(bench, size) for size in STDIO_BOUNDS if f"stdio-{size}" in wanted]
    if {"memory", "connections"} & set(wanted):
        rows += crowd_rows(bench, wanted)
    for name, experiment in {"samples": samples_row, "lateness": lateness_row, "rate": rate_row,
                             "frozen": frozen_row, "throughput": throughput_row}.items():
        if name in wanted and (name != "throughput" or "wrk" in bench.tools):
            rows.append(experiment(bench))
    return sorted(rows, key=lambda row: wanted.index(row.id))
