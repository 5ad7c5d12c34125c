#!/usr/bin/env python3
"""The table of docs/results/servers.md, from records: server × transport × revision × outcome.

    tools/outcome_table.py RECORD…

One row for every scenario of every record, in the order given, on standard output.
"""

import json
import pathlib
import sys

OUTCOMES = ("served", "refused", "failed", "hung")


def outcome(scenario):
    """What became of all calls of a scenario, in words."""
    methods = scenario["summary"]["methods"]
    counts = {name: sum(method[name] for method in methods) for name in OUTCOMES}
    counts = {name: count for name, count in counts.items() if count}
    kinds = ", ".join(dict.fromkeys(method["method"] for method in methods))
    if set(counts) == {"served"}:
        return f"weighed: {counts['served']} calls of {kinds}, all served"
    return "weighed: " + ", ".join(f"{count} {name}" for name, count in counts.items()) + f" of {kinds}"


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    print("| Plan | Server | Transport | Variant | Revision | Outcome |\n| --- | --- | --- | --- | --- | --- |")
    for path in sys.argv[1:]:
        record = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        # HTTP+SSE is found out about the server; the scenario was asked over HTTP.
        servers = {(server["transport"].removesuffix("+sse"), server["variant"]): server
                   for server in record["servers"]}
        for scenario in record["scenarios"]:
            transport, variant = scenario["transport"], scenario["variant"]
            server = servers[transport, variant]
            telemetry = " with telemetry" if scenario["telemetry"] else ""
            print(f"| {record['name']} | {server['name']} {server['version']} | {server['transport']} | {variant}{telemetry} | "
                  f"{server['revision']} | {outcome(scenario)} |")


if __name__ == "__main__":
    main()
