#!/usr/bin/env python3
"""Costs that the reference server produces on purpose must come back as the figures of a run.

Processor time is burnt on the thread's own clock and memory is written page by page, so that 5 % holds on a
busy machine as well. Times get longer there for everybody: of them, medians are judged where the run itself
found the host quiet, and else only the fastest call.
"""

import sys
import threading
import unittest

import harness

URL = "http://127.0.0.1:{port}/mcp"
SERVER = [harness.REFERENCE_SERVER, "--http=127.0.0.1:{port}"]


class WeightTest(harness.Case):
    def weigh_weights(self, *weights, clients=1, parallel=1, rounds=20, repeat=1):
        run = self.weigh("--url", URL, "--clients", clients, "--parallel", parallel, "--rounds", rounds,
                         "--repeat", repeat, "--tool", "null", "--no-report",
                         "--credential", "PRIVATE-TOKEN: token-{credential}",
                         command=[*SERVER, *weights])
        for repeat_ in harness.repeats_of(run.record):
            for method in repeat_["methods"]:
                self.assertEqual(method["served"]["count"], method["sent"], method)
        return run

    @staticmethod
    def call(repeat):
        return harness.methods_of(repeat)["tools/call"]

    def test_a_known_delay_comes_back(self):
        run = self.weigh_weights("--weight-delay=20ms", clients=2, parallel=2, rounds=25, repeat=3)
        repeats = harness.repeats_of(run.record)
        quiet = [repeat for repeat in repeats
                 if not any(doubt["kind"] == "noisy_host" for doubt in repeat["doubts"])]
        print(f"{len(quiet)} of {len(repeats)} repeats were quiet", file=sys.stderr)
        for repeat in quiet:
            median = self.call(repeat)["served"]["latency"]["p50_ms"]
            self.assert_near(median, 20, 0.05, "p50 of a 20 ms delay")
        fastest = min(self.call(repeat)["served"]["latency"]["min_ms"] for repeat in repeats)
        self.assertGreaterEqual(fastest, 20, "an answer came before its delay was over")
        self.assert_near(fastest, 20, 0.05, "the fastest of a 20 ms delay")
        # Only calls are delayed; what is listed must not show it.
        for repeat in repeats:
            self.assertLess(harness.methods_of(repeat)["tools/list"]["served"]["latency"]["min_ms"], 20)

    def test_known_processor_time_comes_back(self):
        self.check_cpu("20", 5)

    def check_cpu(self, rounds, milliseconds):
        null = self.weigh_weights(rounds=rounds, parallel=4)
        burnt = self.weigh_weights(f"--weight-cpu={milliseconds}ms", rounds=rounds, parallel=4)
        of_call = self.call(burnt.repeat)["cpu_per_call_ms"] - self.call(null.repeat)["cpu_per_call_ms"]
        self.assert_near(of_call, milliseconds, 0.05, "CPU of a call, the null run subtracted")
        calls = self.call(burnt.repeat)["sent"]
        of_run = burnt.repeat["cpu"]["serve_seconds"] - null.repeat["cpu"]["serve_seconds"]
        self.assert_near(of_run, calls * milliseconds / 1e3, 0.05, "CPU of the load, likewise")

    @unittest.skipIf(harness.SANITIZED, "a sanitiser's own memory hides what is held")
    def test_known_held_memory_comes_back_as_the_cost_of_an_extra_client(self):
        run = self.weigh_weights("--weight-hold=512KiB", clients=16, rounds=1)
        slope = run.repeat["memory"]["per_extra_client_mib"]
        null = self.weigh_weights(clients=16, rounds=1).repeat["memory"]["per_extra_client_mib"]
        self.assert_near(slope["per_unit"] - null["per_unit"], 0.5, 0.05, "MiB for each extra client")
        self.assertLessEqual(slope["low"], slope["high"])
        self.assertEqual(slope["points"], 16)
        truth = 0.5 + null["per_unit"]
        room = 0.01 * truth  # resident sets are counted in pages
        self.assertLessEqual(slope["low"] - room, truth)
        self.assertGreaterEqual(slope["high"] + room, truth)

    def test_a_known_freeze_shows_in_the_tail_of_the_latency(self):
        # Three seconds of calls, of 4 ms each, cannot fit between two freezes.
        run = self.weigh_weights("--weight-freeze=1s/3s", "--weight-delay=4ms", rounds=750)
        method = self.call(run.repeat)
        latency = method["served"]["latency"]
        self.assertGreaterEqual(latency["max_ms"], 900)
        self.assertLessEqual(latency["max_ms"], 1500)
        self.assertLess(latency["p50_ms"], 100, "one caller of many met the freeze")
        self.assertEqual(max(method["served"]["samples_ms"]), latency["max_ms"])

    def test_without_weights_none_of_them_shows(self):
        run = self.weigh_weights(clients=16, parallel=1, rounds=5)
        repeat = run.repeat
        call = self.call(repeat)
        self.assertLess(call["served"]["latency"]["max_ms"], 900)
        if not harness.SANITIZED:
            self.assertLess(call["served"]["latency"]["min_ms"], 10)
            self.assertLess(call["cpu_per_call_ms"], 1)
            self.assertLess(repeat["memory"]["per_extra_client_mib"]["per_unit"], 0.1)


class StatsTest(harness.Case):
    """The server counts for itself what it has done; the driver must have counted the same."""

    def last_stats_of_a_run(self, server_words, flags, plan_lines=""):
        """A run, and what the weighed server said last before it was ended. The scouted server ran
        before it, with counters of its own."""
        port = harness.free_port()
        command = [*SERVER, "--upstream={upstream}", f"--stats=127.0.0.1:{port}", *server_words]
        words = ", ".join(f'"{word}"' for word in command)
        plan = self.file("plan.toml", f"""
            schema = 1
            name = "stats"
            {plan_lines}
            [target.http]
            command = [{words}]
            url = "{URL}"
            ready = "/health"
            credential = {{ header = "PRIVATE-TOKEN", value = "token-{{credential}}" }}
            [[variant]]
            name = "default"
            call = {{ tool = "gitlab_server_status", expect = {{ contains = "17.0.0" }} }}
            [standin.upstream]
            routes = [ {{ path = "/api/v4/version", json = {{ version = "17.0.0", revision = "a" }} }} ]
            """)
        last = {}
        over = threading.Event()

        def watch():
            while not over.wait(0.05):
                try:
                    stats = harness.get_json(f"http://127.0.0.1:{port}/stats")
                except (OSError, ValueError):
                    continue
                last.clear()
                last.update(stats)

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            run = self.weigh(plan, *flags, "--no-report")
        finally:
            over.set()
            watcher.join()
        self.assertTrue(last, "the server was never heard of")
        return run, last

    def check_counts(self, run, stats, clients):
        repeat = run.repeat
        by_method = stats["requests"]["by_method"]
        methods = harness.methods_of(repeat)
        expected = {
            "tools/call": methods["tools/call"]["sent"],
            "resources/list": methods["resources/list"]["sent"] if "resources/list" in methods else 0,
            # Each client lists once when it is attached.
            "tools/list": methods["tools/list"]["sent"] + clients * run.record["servers"][0]["list_pages"],
        }
        for method, count in expected.items():
            self.assertEqual(by_method.get(method, {"ok": 0})["ok"], count, method)
        for method, endings in by_method.items():
            self.assertEqual(sum(endings.values()), endings["ok"], (method, endings))
        for method in methods.values():
            self.assertEqual(method["sent"], method["served"]["count"], method)
        self.assertEqual(stats["requests"]["in_flight"], 0)
        self.assertEqual(stats["credentials_seen"], clients)
        # Every call asks the upstream once, and nothing else does.
        self.assertEqual(stats["upstream"]["calls"], methods["tools/call"]["sent"])
        self.assertEqual(repeat["standins"]["upstream_requests"], stats["upstream"]["calls"])
        self.assertEqual(stats["upstream"]["failures"] + stats["upstream"]["errors"], 0)

    def test_server_and_driver_agree_on_every_count(self):
        run, stats = self.last_stats_of_a_run([], ["--clients", 5, "--parallel", 3, "--rounds", 4,
                                                   "--repeat", 1])
        self.check_counts(run, stats, clients=5)
        self.assertEqual(harness.methods_of(run.repeat)["tools/call"]["sent"], 5 * 3 * 4)
        self.assertEqual(stats["sessions"]["opened"], 0)
        self.assertNotIn("initialize", stats["requests"]["by_method"])
        # The ready path is asked on a connection of its own.
        self.assertEqual(repeat_connections(run), stats["connections"]["accepted"] - 1)

    def test_server_and_driver_agree_on_sessions_and_pages(self):
        run, stats = self.last_stats_of_a_run(["--stateless=false", "--page-size=1", "--json-response=false"],
                                              ["--clients", 4, "--parallel", 2, "--rounds", 3, "--repeat", 1],
                                              plan_lines='protocol = "2025-11-25"')
        self.check_counts(run, stats, clients=4)
        self.assertGreater(run.record["servers"][0]["list_pages"], 1)
        self.assertEqual(stats["sessions"]["opened"], 4)
        self.assertEqual(stats["requests"]["by_method"]["initialize"]["ok"], 4)
        self.assertEqual(stats["notifications"], 4)
        self.assertEqual(harness.methods_of(run.repeat)["tools/list"]["media"], "sse")


    def test_server_and_driver_agree_on_what_was_refused(self):
        # Two credentials with five calls each at once, and nothing more within the run.
        run, stats = self.last_stats_of_a_run(
            ["--rate-limit-rps=0.001", "--rate-limit-burst=5"],
            ["--clients", 2, "--parallel", 4, "--rounds", 4, "--repeat", 1],
            plan_lines="""
            [[refusal]]
            is_error = true
            text_prefix = "rate limit exceeded"
            """)
        call = harness.methods_of(run.repeat)["tools/call"]
        endings = stats["requests"]["by_method"]["tools/call"]
        self.assertEqual((call["served"]["count"], call["refused"]["count"]), (endings["ok"], endings["refused"]))
        self.assertEqual((endings["ok"], endings["refused"]), (10, 22))
        listed = stats["requests"]["by_method"]["tools/list"]["refused"]
        self.assertEqual(stats["limits"]["rate_limited"], 22 + listed)


def repeat_connections(run):
    return run.repeat["driver"]["connections_opened"]


if __name__ == "__main__":
    harness.main()
