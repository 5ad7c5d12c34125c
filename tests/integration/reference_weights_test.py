#!/usr/bin/env python3
"""The known weights against the kernel's own word: what --stats says was done is what /proc and a clock see."""

import os
import time
import unittest

import harness
from reference_server_support import Http, ReferenceCase, Stdio, initialize, request

KIB = 1024
MIB = 1024 * KIB


def resident(pid):
    return harness.status_kib(pid, "VmRSS") * KIB


def processor_seconds(pid):
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as stat:
        return int(stat.read().split()[0]) / 1e9


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def descriptors_at_rest(pid):
    """Two equal looks in a row: whoever asked whether the server was there has hung up by then."""
    seen = [descriptors(pid)]

    def unchanged():
        time.sleep(0.1)
        seen.append(descriptors(pid))
        return seen[-1] == seen[-2]

    harness.wait_until(unchanged)
    return seen[-1]


def threads(pid):
    """Without the one that ThreadSanitizer starts for itself beside the first."""
    count = len(os.listdir(f"/proc/{pid}/task"))
    return count - 1 if count > 1 and os.environ.get("WEIGHBRIDGE_SANITIZE") == "thread" else count


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return len(file.read().split())


class WeightCase(ReferenceCase):
    def server(self, *words):
        self.stats_port = harness.free_port()
        server = Http(self, f"--stats=127.0.0.1:{self.stats_port}", *words)
        self.pid = server.process.pid
        return server

    @property
    def weights(self):
        return harness.get_json(f"http://127.0.0.1:{self.stats_port}/")["weights"]

    def hold_call(self, server, arguments=None):
        """Sends a call to `null` without waiting for its answer; its connection."""
        return server.begin("tools/call", {"name": "null", "arguments": arguments or {}})


@unittest.skipIf(harness.SANITIZED, "a sanitiser's own memory hides what is held")
class MemoryTest(WeightCase):
    def growth(self, server, action, count):
        """Resident bytes that `count` actions add, after ten that warm up."""
        for number in range(10):
            action(server, number)
        before = resident(self.pid)
        for number in range(10, 10 + count):
            action(server, number)
        return resident(self.pid) - before

    @staticmethod
    def come_as_a_new_credential(server, number):
        server.token = f"token-{number}"
        server.call("null")

    def test_credentials_hold_what_they_are_told_to(self):
        for size in (50 * KIB, 64 * KIB):
            server = self.server(f"--weight-hold={size}")
            grown = self.growth(server, self.come_as_a_new_credential, 100)
            self.assert_near(grown, 100 * size, 0.02, f"{size} for each credential")
            self.assertEqual(self.weights["memory"]["credential"], {"taken": 110, "bytes": 110 * size})
            self.assertEqual(self.weights["memory"]["held_bytes"], 110 * size)

    def test_the_process_holds_what_it_is_told_to(self):
        null = self.server()
        null.call("null")
        bare = resident(self.pid)
        weighed = self.server("--weight-process-hold=16MiB")
        weighed.call("null")
        self.assert_near(resident(self.pid) - bare, 16 * MIB, 0.02, "held by the process")
        self.assertEqual(self.weights["memory"]["process"], {"taken": 1, "bytes": 16 * MIB})

    def test_calls_leak_what_they_are_told_to(self):
        server = self.server("--weight-leak=16KiB")
        grown = self.growth(server, lambda it, _: it.call("null"), 100)
        self.assert_near(grown, 100 * 16 * KIB, 0.03, "leaked")
        self.assertEqual(self.weights["memory"]["leak"], {"taken": 110, "bytes": 110 * 16 * KIB})

    def test_a_leak_may_be_for_a_time(self):
        server = self.server("--weight-leak=8MiB/300ms")
        server.call("null")
        before = resident(self.pid)
        self.assertEqual(self.weights["memory"]["leak"]["bytes"], 8 * MIB)
        self.assertTrue(harness.wait_until(lambda: self.weights["memory"]["leak"]["bytes"] == 0))
        self.assert_near(before - resident(self.pid), 8 * MIB, 0.02, "given back")

    def test_a_peak_comes_and_goes(self):
        server = self.server()
        server.call("null")
        before = resident(self.pid)
        server.call("null", {"peak": "64MiB/200ms"})
        self.assert_near(resident(self.pid) - before, 64 * MIB, 0.01, "while it lasts")
        self.assertTrue(harness.wait_until(lambda: self.weights["memory"]["held_bytes"] == 0))
        self.assertLess(resident(self.pid) - before, MIB)
        self.assert_near(harness.status_kib(self.pid, "VmHWM") * KIB - before, 64 * MIB, 0.01, "as the kernel remembers it")
        self.assertEqual(self.weights["memory"]["most_held_bytes"], 64 * MIB)

    def test_sessions_hold_until_they_end(self):
        server = self.server("--stateless=false", "--weight-session-hold=4MiB", "--weight-session-fds=2",
                             "--weight-session-threads=1", "--weight-session-children=1")
        fds, before = descriptors_at_rest(self.pid), resident(self.pid)
        sessions = [{"Mcp-Session-Id": server.post(initialize("2025-11-25")).headers["Mcp-Session-Id"]}
                    for _ in range(8)]
        self.assert_near(resident(self.pid) - before, 32 * MIB, 0.05, "held by sessions")
        self.assertEqual(self.weights["memory"]["session"]["bytes"], 32 * MIB)
        self.assertEqual((threads(self.pid), children(self.pid)), (9, 8))
        self.assertTrue(harness.wait_until(lambda: descriptors(self.pid) == fds + 16))
        for session in sessions:
            self.assertEqual(server.send("DELETE", "/mcp", headers=session).status, 204)
        self.assertEqual(self.weights["memory"]["session"]["bytes"], 0)
        self.assertEqual((threads(self.pid), children(self.pid)), (1, 0))

    def test_only_abandoned_sessions_leak_when_that_is_the_weight(self):
        server = self.server("--stateless=false", "--session-timeout=200ms", "--weight-session-hold=1MiB",
                             "--weight-leak-abandoned")
        session = {"Mcp-Session-Id": server.post(initialize("2025-11-25")).headers["Mcp-Session-Id"]}
        server.send("DELETE", "/mcp", headers=session)
        self.assertEqual(self.weights["memory"]["session"], {"taken": 1, "bytes": 0})
        server.post(initialize("2025-11-25"))
        stats = lambda: harness.get_json(f"http://127.0.0.1:{self.stats_port}/")
        self.assertTrue(harness.wait_until(lambda: stats()["sessions"]["expired"] == 1))
        self.assertEqual(self.weights["memory"]["session"], {"taken": 2, "bytes": MIB})

    def test_connections_hold_until_they_are_closed(self):
        server = self.server("--weight-connection-hold=1MiB")
        before = self.weights["memory"]["connection"]["taken"]
        connections = [server.connect() for _ in range(4)]
        self.assertTrue(harness.wait_until(lambda: self.weights["memory"]["connection"]["bytes"] == 4 * MIB))
        self.assertEqual(self.weights["memory"]["connection"]["taken"], before + 4)
        for connection in connections:
            connection.close()
        self.assertTrue(harness.wait_until(lambda: self.weights["memory"]["connection"]["bytes"] == 0))


class TimeTest(WeightCase):
    def test_listings_burn_what_they_are_told_to(self):
        server = self.server("--weight-list-cpu=20ms")
        server.post_stateless("tools/list")
        before, said = processor_seconds(self.pid), self.weights["list_cpu"]
        for _ in range(10):
            server.post_stateless("tools/list")
        now = self.weights["list_cpu"]
        burnt = (now["burnt_ns"] - said["burnt_ns"]) / 1e9
        self.assertEqual(now["count"], 11)
        self.assert_near(burnt, 0.2, 0.02, "burnt")
        self.assertGreaterEqual(processor_seconds(self.pid) - before, burnt)
        self.assertEqual(self.weights["cpu"]["count"], 0)

    def test_the_start_costs_what_it_is_told_to(self):
        begin = time.monotonic()
        server = self.server("--weight-start-delay=300ms", "--weight-start-cpu=200ms")
        self.assertGreaterEqual(time.monotonic() - begin, 0.5)
        server.call("null")
        start = self.weights["start"]
        self.assertGreaterEqual(start["delay_ns"], 300_000_000)
        self.assert_near(start["cpu_ns"] / 1e9, 0.2, 0.01, "burnt at the start")
        self.assertGreaterEqual(processor_seconds(self.pid), 0.2)

    def test_calls_beyond_the_limit_wait_for_others(self):
        server = self.server("--weight-concurrency=2", "--weight-delay=300ms")
        begin = time.monotonic()
        calls = [self.hold_call(server) for _ in range(5)]
        self.assertTrue(harness.wait_until(lambda: self.weights["queued"]["most"] == 3))
        for call in calls:
            call.answer()
        self.assertGreaterEqual(time.monotonic() - begin, 0.9)
        queued = self.weights["queued"]
        self.assertEqual(queued["count"], 3)
        self.assertGreaterEqual(queued["waited_ns"], 2 * 300_000_000 + 600_000_000 - 300_000_000)

    def test_a_caller_that_gives_up_waiting_is_not_served(self):
        server = self.server("--weight-concurrency=1", "--weight-delay=500ms")
        first, second = self.hold_call(server), self.hold_call(server)
        self.assertTrue(harness.wait_until(lambda: self.weights["queued"]["most"] == 1))
        second.close()
        first.answer()
        self.assertEqual(server.call("null")["content"], [])
        calls = harness.get_json(f"http://127.0.0.1:{self.stats_port}/")["requests"]["by_method"]["tools/call"]
        self.assertEqual((calls["ok"], calls["abandoned"]), (2, 1))

    def test_percentiles_of_the_delays_really_made_are_told(self):
        server = self.server("--weight-delay=list:1ms,2ms,3ms,30ms", "--stats-delays")
        for _ in range(8):
            server.call("null")
        delay = self.weights["delay"]
        made = sorted(delay["values_ns"])
        self.assertEqual((delay["p50_ns"], delay["p90_ns"], delay["p99_ns"]), (made[3], made[7], made[7]))
        self.assertGreaterEqual(made[7], 30_000_000)


class ThingsTest(WeightCase):
    def test_held_calls_hold_exactly_what_they_are_told_to(self):
        server = self.server()
        server.call("null")
        fds = descriptors_at_rest(self.pid)
        call = self.hold_call(server, {"fds": 7, "threads": 3, "children": 2, "delay": "2s"})
        self.assertTrue(harness.wait_until(lambda: self.weights["descriptors"]["held"] == 7))
        self.assertTrue(harness.wait_until(lambda: descriptors(self.pid) == fds + 7 + 1))
        self.assertEqual((threads(self.pid), children(self.pid)), (4, 2))
        call.answer()
        self.assertEqual((threads(self.pid), children(self.pid)), (1, 0))
        for kind, count in (("descriptors", 7), ("threads", 3), ("children", 2)):
            self.assertEqual(self.weights[kind], {"taken": count, "held": 0, "most": count})

    def test_no_child_survives_a_server_that_is_killed(self):
        server = self.server("--weight-children=3", "--weight-delay=30s")
        call = self.hold_call(server)
        self.assertTrue(harness.wait_until(lambda: self.weights["children"]["held"] == 3))
        with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="ascii") as file:
            orphans = file.read().split()
        server.process.kill()
        server.process.wait(harness.PATIENCE)
        call.close()
        self.assertTrue(harness.wait_until(
            lambda: not any(harness.read_proc(orphan, "cmdline") for orphan in orphans)))


class AnswerTest(WeightCase):
    def test_the_size_of_an_answer_is_what_it_is_told_to_be(self):
        server = self.server("--weight-bytes=100KiB")
        self.assertEqual(len(server.call("null")["content"][0]["text"]), 100 * KIB)
        self.assertEqual(len(server.call("null", {"bytes": "3B"})["content"][0]["text"]), 3)
        stdio = Stdio(self, "--weight-bytes=1MiB")
        answer = stdio.ask(request(1, "tools/call", {"name": "null"}))
        self.assertEqual(len(answer["result"]["content"][0]["text"]), MIB)

    def test_the_id_may_stand_last(self):
        server = self.server("--weight-id=last")
        for identifier in (7, 'a "quoted, one"'):
            body = server.post_stateless("tools/list", identifier=identifier)
            self.assertEqual(list(body.json), ["jsonrpc", "result", "id"])
            self.assertEqual(body.json["id"], identifier)
        error = server.post_stateless("tools/call", {"name": "no such"})
        self.assertEqual(list(error.json), ["jsonrpc", "error", "id"])

    def test_answers_come_in_chunks_late_and_slowly(self):
        for mode in ("true", "false"):
            server = self.server("--weight-first-byte=200ms", "--weight-chunk=2000B", "--weight-trickle=20ms",
                                 f"--json-response={mode}")
            begin = time.monotonic()
            call = server.begin("tools/list")
            first = call.first_byte_at() - begin
            body = call.answer()
            self.assertGreaterEqual(first, 0.2)
            chunks = -(-len(body) // 2000)
            self.assertGreaterEqual(time.monotonic() - begin - first, (chunks - 1) * 0.02 * 0.9)
            told = self.weights
            self.assertEqual((told["chunks"], told["trickle"]["count"]), (chunks, chunks - 1))
            self.assertEqual(told["first_byte"]["count"], 1)
            self.assertGreaterEqual(told["first_byte"]["made_ns"], 200_000_000)

    def test_lines_come_in_chunks_one_after_the_other(self):
        server = Stdio(self, "--weight-chunk=1000B", "--weight-trickle=1ms")
        for identifier in range(3):
            server.send(request(identifier, "tools/list"))
        self.assertEqual([server.receive()["id"] for _ in range(3)], [0, 1, 2])
        self.assertEqual(server.end(), 0)


class WordsTest(ReferenceCase):
    def test_weights_that_would_weigh_nothing_are_refused(self):
        for words in (["--weight-session-hold=1MiB"], ["--http=127.0.0.1:0", "--weight-session-fds=1"],
                      ["--weight-connection-hold=1MiB"], ["--weight-trickle=1ms"],
                      ["--http=127.0.0.1:0", "--stateless=false", "--weight-leak-abandoned"],
                      ["--weight-id=middle"], ["--weight-peak=big"], ["--weight-fds=-1"]):
            server = self.start(harness.REFERENCE_SERVER, *words, stdout=-1, stderr=-1)
            _, err = server.communicate(timeout=harness.PATIENCE)
            self.assertEqual((server.returncode, len(err.splitlines())), (2, 1), (words, err))


if __name__ == "__main__":
    harness.main()
