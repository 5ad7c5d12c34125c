"""Rows as a Markdown table, with what they were taken on."""

import dataclasses
import json

HEADS = ("row", "what", "ours", "theirs", "ratio [interval]", "bound", "verdict")

EXPLAINED = """\
Ratios are ours to theirs (SSE: to our own JSON), of {rounds} interleaved pairs (A B, then B A): the median of the log
ratios, with the order statistics that hold it {confidence}. Server on core {server_core}, driver on core
{driver_core}, {connections} connections. Processor time is the tool's user and system time as the kernel tells it
at its end (`wait4`; on stdio without the server it started), less that of the tool's smallest run (start, probes,
report; {fixed} for Weighbridge), by the calls that the server counted. Rows by the clock are judged by quiet runs
alone: a probe lost under 2 % of the time before and after, and others had under 5 % of the cores meanwhile."""


def markdown(rows, facts, settings):
    lines = ["| " + " | ".join(HEADS) + " |", "| --- | --- | ---: | ---: | ---: | ---: | --- |"]
    for row in rows:
        cells = (f"`{row.id}`", row.what, row.ours, row.theirs or "—", row.ratio or "—", row.bound or "—",
                 row.verdict or "—")
        lines.append("| " + " | ".join(cells) + " |")
    fixed = [row.values["fixed_cpu_seconds"]["ours"] for row in rows if "fixed_cpu_seconds" in row.values]
    ratios = [row.values["ratio"] for row in rows if row.values.get("ratio")]
    lines += ["", EXPLAINED.format(
        **settings, confidence=f"with {ratios[0]['confidence']:.1%} confidence" if ratios else "best",
        fixed=f"up to {max(fixed):.2f} s" if fixed else "none")]
    tools = ", ".join(f"{tool} {version}" if version else f"{tool} is not installed and left out"
                      for tool, version in settings["tools"].items())
    lines += ["", f"Measured on {facts['cpu']}, {facts['logical_cpus']} logical CPUs, {facts['memory_gib']} GiB of memory, "
              f"{facts['system']}, kernel {facts['kernel']}, {facts['machine']}, {facts['date']}; Weighbridge "
              f"{facts['weighbridge']}; {tools}; load average {facts['load_average'][0]} at the start, nice "
              f"{facts['nice']}{'; quick: not to be quoted' if settings['quick'] else ''}."]
    return "\n".join(lines) + "\n"


def as_json(rows, facts, settings):
    return json.dumps({"schema": 1, "host": facts, "settings": settings,
                       "rows": [dataclasses.asdict(row) for row in rows]}, indent=1) + "\n"
