#!/usr/bin/env python3
"""Servers that people run, from npm: every plan under plans/servers, held against listings made by hand.

The hand here is Python on stdio and curl over HTTP; neither knows anything of the program.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import tomllib
import unittest

import harness

PLANS = harness.ROOT / "plans" / "servers"
TIME = "/usr/bin/time"
EVERYTHING = PLANS / "everything" / "node_modules" / "@modelcontextprotocol" / "server-everything"


def request(method, params, number=None):
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(message if number is None else {**message, "id": number})


def greeting(revision):
    return request("initialize", {"protocolVersion": revision, "capabilities": {},
                                  "clientInfo": {"name": "hand", "version": "1"}}, 1)


INITIALIZED = request("notifications/initialized", {})
LISTING = request("tools/list", {}, 2)


def answer_among(lines, number):
    """The line that answers a request."""
    for line in lines:
        if line.strip() and json.loads(line).get("id") == number:
            return line.strip()
    raise AssertionError("no answer")


def list_on_stdio(start, command, revision, env):
    """tools/list as one line of text."""
    server = start(*command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                   stderr=subprocess.DEVNULL)
    print(greeting(revision), file=server.stdin, flush=True)
    answer_among(iter(server.stdout.readline, ""), 1)
    print(INITIALIZED, LISTING, sep="\n", file=server.stdin, flush=True)
    line = answer_among(iter(server.stdout.readline, ""), 2)
    server.stdin.close()
    server.wait(harness.PATIENCE)
    return line


def curl(url, body, *headers):
    """Head and message of an answer; of an event stream the message in its data."""
    words = ["curl", "--silent", "--show-error", "--include", "--max-time", "20", "--data", body,
             "-H", "Content-Type: application/json", "-H", "Accept: application/json, text/event-stream"]
    for header in headers:
        words += ["-H", header]
    answer = subprocess.run([*words, url], capture_output=True, check=True).stdout.decode()
    head, _, text = answer.partition("\r\n\r\n")
    if "text/event-stream" in head:
        text = next((line[5:].strip() for line in text.splitlines() if line.startswith("data:")
                     and line[5:].strip()), "")
    return head, text


def list_over_http(url, revision):
    head, _ = curl(url, greeting(revision))
    headers = [f"MCP-Protocol-Version: {revision}"]
    session = re.search(r"^mcp-session-id: *(\S+)", head, re.MULTILINE | re.IGNORECASE)
    if session:
        headers.append(f"Mcp-Session-Id: {session[1]}")
    curl(url, INITIALIZED, *headers)
    return curl(url, LISTING, *headers)[1]


@unittest.skipUnless(shutil.which("node"), "needs Node.js")
class RealServersTest(harness.Case):
    def setUp(self):
        super().setUp()
        if not EVERYTHING.is_dir():
            self.skipTest("the packages are not installed: tools/setup/npm_ci.sh plans/servers/*/")

    def filled(self, text, folder, port=0):
        return text.replace("{plan_dir}", str(folder)).replace("{port}", str(port))

    def listing_by_hand(self, plan, folder, transport, revision):
        target = plan["target"][transport]
        port = harness.free_port() if transport == "http" else 0
        command = [self.filled(word, folder, port) for word in target["command"]]
        env = {name: self.filled(value, folder, port) for name, value in target.get("env", {}).items()}
        if transport == "stdio":
            return list_on_stdio(self.start, command, revision, env)
        self.start_server(*command, env=env, port=port)
        return list_over_http(self.filled(target["url"], folder, port), revision)

    def check_plan(self, folder, name="plan.toml"):
        path = PLANS / folder / name
        plan = tomllib.loads(path.read_text(encoding="utf-8"))
        run = self.weigh(path, "--quick")
        self.assertEqual({scenario["transport"] for scenario in run.record["scenarios"]},
                         set(plan["target"]))
        for repeat in harness.repeats_of(run.record):
            methods = harness.methods_of(repeat)
            self.assertLessEqual({"tools/list", "tools/call"}, set(methods))
            for method in methods.values():
                self.assertEqual(method["served"]["count"], method["sent"], method)
                self.assertGreater(method["sent"], 0)
        for server in run.record["servers"]:
            by_hand = self.listing_by_hand(plan, path.parent, server["transport"], server["revision"])
            self.assertEqual(server["tools"], len(json.loads(by_hand)["result"]["tools"]))
            self.assertEqual(server["list_bytes"], len(by_hand.encode()))
            self.assertEqual(server["tool"], plan["variant"][0]["call"]["tool"])
        return run

    def test_everything_on_stdio_and_over_http_is_weighed_by_its_plan(self):
        run = self.check_plan("everything")
        media = {scenario["transport"]: harness.methods_of(scenario["repeats"][0])["tools/list"]["media"]
                 for scenario in run.record["scenarios"]}
        self.assertEqual(media, {"stdio": "stdio", "http": "sse"})

    def test_everything_behind_npx_is_weighed_with_its_launchers(self):
        run = self.check_plan("everything", "npx.toml")
        roles = [process["role"] for process in run.repeat["processes"]]
        self.assertIn("launcher", roles)
        self.assertGreaterEqual(run.repeat["resources"]["processes"], 2 * 2)

    def test_filesystem_is_weighed_by_its_plan(self):
        self.check_plan("filesystem")

    def test_memory_is_weighed_by_its_plan(self):
        self.check_plan("memory")

    def test_sequential_thinking_is_weighed_by_its_plan(self):
        self.check_plan("sequential-thinking")

    def test_everything_is_weighed_without_a_plan_in_half_a_minute(self):
        begun = time.monotonic()
        run = self.weigh(command=["node", EVERYTHING / "dist" / "index.js", "stdio"])
        seconds = time.monotonic() - begun
        self.assertEqual(len(harness.repeats_of(run.record)), 3)
        self.assertEqual(run.record["scenarios"][0]["clients"], 8)
        self.assertIn("tool_chosen", harness.doubts_of(run.record))
        summary = run.record["scenarios"][0]["summary"]
        for figure in ("process_ready_ms", "first_list_ms", "warm_list_ms", "one_client_mib",
                       "all_clients_mib", "per_extra_client_mib", "peak_mib", "after_load_mib", "threads",
                       "descriptors", "build_cpu_seconds", "serve_cpu_seconds", "cpu_per_call_ms"):
            self.assertIsNotNone(summary[figure], figure)
        self.assertEqual({method["method"] for method in summary["methods"]},
                         {"resources/list", "tools/call", "tools/list"})
        # Printed rather than asserted on a machine that also does other things; the bound is for a quiet
        # one.
        print(f"took {seconds:.1f} s", file=sys.stderr)
        if os.getloadavg()[0] < 1.5:
            self.assertLess(seconds, 30)

    def weigh_under_time(self, rounds):
        """A run of so many rounds, and the processor time that time(1) saw."""
        verdict = self.folder / "time.txt"
        run = self.weigh("--clients", 1, "--parallel", 8, "--rounds", rounds, "--repeat", 1, "--no-report",
                         command=[TIME, "-v", "-o", verdict, "node", EVERYTHING / "dist" / "index.js", "stdio"])
        return run, sum(float(value) for value in re.findall(
            r"(?:User|System) time \(seconds\): ([\d.]+)", pathlib.Path(verdict).read_text()))

    @unittest.skipUnless(shutil.which(TIME), "needs /usr/bin/time")
    def test_figures_of_a_real_server_agree_with_independent_tools(self):
        # How many rounds make five seconds of work is the machine's affair.
        for rounds in (1000, 2500, 6000, 15000):
            run, seconds = self.weigh_under_time(rounds)
            if seconds > 5:
                break
        self.assertGreater(seconds, 5, "too little to judge by")
        self.assert_near(run.repeat["cpu"]["total_seconds"], seconds, 0.03, "CPU of the tree")

        port = harness.free_port()
        server = self.start_server("node", "--require", PLANS / "loopback.cjs", EVERYTHING / "dist" / "index.js",
                                   "streamableHttp", env={"PORT": str(port)}, port=port)
        run = self.weigh("--quick", "--no-report", "--url", f"http://127.0.0.1:{port}/mcp", "--pid", server.pid)
        self.assert_near(run.repeat["memory"]["after_load"]["resident_mib"],
                         harness.status_kib(server.pid, "VmRSS") / 1024, 0.03, "resident set")


if __name__ == "__main__":
    harness.main()
