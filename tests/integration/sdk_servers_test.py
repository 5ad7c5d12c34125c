#!/usr/bin/env python3
"""The same four-tool server on every official SDK whose toolchain is here, weighed by its plans.

A server is built first, by the script a user would call; without its toolchain its tests are skipped, with what is
missing as the reason.
"""

import json
import subprocess
import unittest

import harness

SDKS = harness.ROOT / "plans" / "servers" / "sdk"
HANDSHAKE, STATELESS = "2025-11-25", "2026-07-28"

#: Tool, arguments, and what every SDK's server must answer.
ANSWERS = [("echo", {"message": "weighbridge"}, "Echo: weighbridge"), ("add", {"a": 1, "b": 2.5}, "3.5"),
           ("list", {"n": 3}, "item 2"), ("sleep", {"ms": 50}, "slept 50 ms")]


def plans_of(sdk):
    """Each plan of an SDK with the revision that it must come to."""
    both_eras = (SDKS / sdk / "legacy.toml").exists()
    yield "plan.toml", STATELESS if both_eras else HANDSHAKE
    if both_eras:
        yield "legacy.toml", HANDSHAKE


class SdkServers(harness.Case):
    def build(self, sdk):
        done = subprocess.run([harness.ROOT / "tools" / "setup" / "sdk_servers.sh", sdk], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            lacking = [line for line in done.stderr.splitlines() if "needs" in line]
            self.assertTrue(lacking, done.stderr)
            self.skipTest(lacking[0])

    def check_served(self, run):
        for repeat in harness.repeats_of(run.record):
            methods = harness.methods_of(repeat)
            self.assertLessEqual({"tools/list", "tools/call"}, set(methods))
            for method in methods.values():
                self.assertGreater(method["sent"], 0)
                self.assertEqual(method["served"]["count"], method["sent"], method)

    def check(self, sdk):
        self.build(sdk)
        for plan, revision in plans_of(sdk):
            with self.subTest(plan=plan):
                run = self.weigh(SDKS / sdk / plan, "--quick", "--no-report")
                self.check_served(run)
                self.assertEqual([(server["transport"], server["revision"], server["name"], server["tools"])
                                  for server in run.record["servers"]],
                                 [("stdio", revision, f"sdk-{sdk}", 4), ("http", revision, f"sdk-{sdk}", 4)])
        for tool, arguments, answer in ANSWERS:
            with self.subTest(tool=tool):
                self.check_served(self.weigh(SDKS / sdk / "plan.toml", "--quick", "--no-report", "--only", "stdio",
                                             "--tool", tool, "--arguments", json.dumps(arguments),
                                             "--expect", answer))

    def test_typescript_version_1(self):
        self.check("typescript-v1")

    def test_typescript_version_2_in_both_eras(self):
        self.check("typescript-v2")

    def test_python_in_both_eras(self):
        self.check("python")

    def test_go_in_both_eras(self):
        self.check("go")

    def test_rust_in_both_eras(self):
        self.check("rust")

    def test_java(self):
        self.check("java")

    def test_an_answer_other_than_the_expected_one_is_not_served(self):
        self.build("go")
        run = self.weigh(SDKS / "go" / "plan.toml", "--quick", "--no-report", "--only", "stdio", "--tool", "add",
                         "--arguments", '{"a":1,"b":1}', "--expect", "3.5")
        calls = harness.methods_of(run.repeat)["tools/call"]
        self.assertEqual((calls["served"]["count"], calls["failed"]["count"]), (0, calls["sent"]))


if __name__ == "__main__":
    harness.main()
