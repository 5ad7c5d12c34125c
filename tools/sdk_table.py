#!/usr/bin/env python3
"""Sets records of the SDK servers side by side: the page docs/results/sdks.md on standard output.

    tools/sdk_table.py RECORD… > docs/results/sdks.md

A record is what `weighbridge run plans/servers/sdk/…` wrote; the order of the arguments is that of the
rows. Every figure is the record's own, the median of its repeats; nothing is worked out here.
"""

import json
import pathlib
import sys

HEAD = """# One server, six SDKs

The same four tools (`plans/servers/sdk/`), written small on each official SDK and weighed by `plan.toml` and
`legacy.toml` of its folder. The load calls `echo` and lists the tools.

"""

COST = """## Start, memory, processor time

"""

COST_NOTES = """
Ready: on stdio the program's start, over HTTP its first good answer. First list: on stdio from the program's start to
the answer, over HTTP from asking a ready server. Resident memory is of the whole tree; on stdio every client has a
process of its own, so there is no idle server. CPU is the server's under load, per completed call of any method.

"""

LATENCY = """## Latency of `tools/call echo` and of the listing

"""

LATENCY_NOTES = """
Closed loop, all clients at once: a call waits for those before it, so these say how a server works off a crowd, not how
fast it answers one caller. Framing is what the answers came in. Listing is the size of one `tools/list` message.
"""


def significant(value):
    """As the reports have them: three digits."""
    if value is None:
        return "—"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def figure(summary, name):
    found = summary.get(name)
    if found is None:
        return "—"
    text = significant(found["value"])
    interval = found.get("interval")
    if interval:
        low, high = (significant(interval[end]) for end in ("low", "high"))
        if (low, high) != (text, text):
            text += f" [{low}, {high}]"
    return text


def rows_of(record):
    """Of every scenario: its server, the scenario itself, and the framing of its answers."""
    servers = {(server["transport"], server["variant"]): server for server in record["servers"]}
    for scenario in record["scenarios"]:
        server = servers[scenario["transport"], scenario["variant"]]
        media = {method["media"] for repeat in scenario["repeats"] for method in repeat["methods"]}
        yield server, scenario, ", ".join(sorted(media))


def table(columns, rows):
    aligned = ["---"] * 3 + ["---:"] * (len(columns) - 3)
    return "".join("| " + " | ".join(row) + " |\n" for row in [columns, aligned, *rows])


def one_of(records, what):
    """What all records share, or all that they say."""
    return ", ".join(dict.fromkeys(what(record) for record in records))


def measured(records):
    def host(record):
        facts = record["host"]
        return (f"{facts['cpu_model']}, {facts['logical_cpus']} logical CPUs, {facts['memory_gib']:.1f} GiB of memory, "
                f"{facts['distribution']}, kernel {facts['kernel']}")

    def build(record):
        return f"{record['build']['version']} ({record['build']['commit']})"

    dates = sorted(record["generated_at"] for record in records)
    sizes = one_of(records, lambda record: "; ".join(
        f"{scenario['clients']} clients on {scenario['transport']}" for scenario in record["scenarios"]))
    repeats = one_of(records, lambda record: str(record["settings"]["repeat"]))
    noisy = sum(any(doubt["kind"] == "noisy_host" for repeat in scenario["repeats"] for doubt in repeat["doubts"])
                for record in records for scenario in record["scenarios"])
    scenarios = sum(len(record["scenarios"]) for record in records)
    return (f"Measured on {one_of(records, host)}, with Weighbridge {one_of(records, build)}, {dates[0]} to {dates[-1]}: "
            f"{sizes}, {repeats} repeats. {noisy} of {scenarios} scenarios carry the doubt `noisy_host`: read their "
            "times as an upper bound.\n\n")


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    records = [json.loads(pathlib.Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:]]
    cost, latency = [], []
    for server, scenario, media in (row for record in records for row in rows_of(record)):
        summary = scenario["summary"]
        first = [f"{server['name'].removeprefix('sdk-')} {server['version']}", server["transport"], server["revision"]]
        cost.append(first + [figure(summary, name) for name in (
            "process_ready_ms", "first_list_ms", "idle_mib", "one_client_mib", "per_extra_client_mib", "peak_mib",
            "threads", "cpu_per_call_ms")])
        methods = {method["method"]: method["latency"] for method in summary["methods"]}
        latency.append(first + [media] + [
            significant(methods[method][percentile]) for method in ("tools/call", "tools/list")
            for percentile in ("p50_ms", "p99_ms")] + [str(server["list_bytes"])])
    sys.stdout.write(HEAD + measured(records) + COST + table(
        ["SDK", "Transport", "Revision", "Ready, ms", "First list, ms", "Idle, MiB", "One client, MiB",
         "Per extra client, MiB", "Peak, MiB", "Threads", "CPU per call, ms"], cost) + COST_NOTES + LATENCY + table(
        ["SDK", "Transport", "Revision", "Framing", "echo p50, ms", "echo p99, ms", "list p50, ms", "list p99, ms",
         "Listing, bytes"], latency) + LATENCY_NOTES)


if __name__ == "__main__":
    main()
