"""`weighbridge load` against the reference server, whose own account of what was asked of it is the truth.

    load_test.py            a few plans of each kind
    load_test.py --long     a thousand random small ones
"""

import json
import random
import sys

from harness import REFERENCE_SERVER, ROOT, Case, free_port, get_json, main, wait_until

import jsonschema

LONG = "--long" in sys.argv
SCHEMA = json.loads((ROOT / "schema" / "load-record.schema.json").read_text(encoding="utf-8"))
OUTCOMES = ("served", "refused", "failed", "hung")


class LoadCase(Case):
    def drive(self, *flags, command=(), code=0):
        """`weighbridge load` to its end; its record, which must be valid, when there is one. `code` None:
        however it ends."""
        self.runs += 1
        folder = self.folder / f"load-{self.runs}"
        tail = ["--", *map(str, command)] if command else []
        run = self.program("load", *flags, "-o", folder, *tail, folder=folder)
        if code is not None:
            self.assertEqual(run.code, code, run)
        path = folder / "record.json"
        record = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
        if record is not None:
            jsonschema.Draft202012Validator(SCHEMA).validate(record)
        return run, record

    def reference(self, *flags):
        """URL of a running reference server, and of its account."""
        port, stats = free_port(), free_port()
        self.start_server(REFERENCE_SERVER, f"--http=127.0.0.1:{port}", f"--stats=127.0.0.1:{stats}", *flags,
                          port=port)
        return f"http://127.0.0.1:{port}/mcp", f"http://127.0.0.1:{stats}/"


def calls_seen(stats):
    return sum(get_json(stats)["requests"]["by_method"].get("tools/call", {}).values())


class Accounts(LoadCase):
    """Sent is served, refused, failed and hung together, and as many as the server says it was asked."""

    def random_flags(self, rng):
        flags = ["--tool", "null", "--seed", rng.randrange(1000), "--credentials", rng.choice([1, 2, 5]),
                 "--parallel", rng.choice([1, 2, 4]), "--threads", rng.choice([1, 1, 2])]
        kind = rng.choice(["requests", "duration", "rate", "poisson", "per", "profile"])
        if kind == "requests":
            flags += ["--requests", rng.randrange(1, 120)]
        elif kind == "duration":
            flags += ["--duration", f"{rng.randrange(20, 200)}ms"]
        elif kind == "profile":
            flags += ["--profile", f"{rng.randrange(20, 200)}-{rng.randrange(200)}:150ms,100:50ms"]
        else:
            flags += ["--rate", rng.randrange(20, 400), "--duration", f"{rng.randrange(50, 250)}ms"]
            flags += {"poisson": ["--poisson"], "per": ["--per-credential"]}.get(kind, [])
        if kind in ("requests", "duration") and rng.random() < 0.3:
            flags += ["--think", "3ms"]
        if rng.random() < 0.4:
            flags += ["--call-timeout", "60ms"]
        return flags

    def check(self, url, stats, flags):
        before = calls_seen(stats)
        run, record = self.drive("--url", url, *flags, code=None)
        self.assertIn(run.code, (0, 4), run)  # 4: not one call was served
        step = record["steps"][0]
        self.assertEqual(step["sent"], sum(step[outcome] for outcome in OUTCOMES), flags)
        wait_until(lambda: calls_seen(stats) - before >= step["sent"], seconds=5)
        self.assertEqual(calls_seen(stats) - before, step["sent"], f"{flags}\n{run}")
        if step["intended"] is not None:
            self.assertEqual(step["intended"], step["sent"] + step["missed"], flags)
        self.assertEqual(step["served"], sum(step["served_per_tick"]), flags)
        for outcome in OUTCOMES:
            latency = step["latency" if outcome == "served" else outcome + "_latency"]
            self.assertEqual(latency["count"] if latency else 0, step[outcome], flags)
            if latency and latency["count"] < 100:
                self.assertIsNone(latency["p99_ms"])

    def test_agree_with_the_server_for_random_small_plans(self):
        rng = random.Random(20261130)
        url, stats = self.reference("--weight-delay=bimodal:1ms,100ms,0.1")
        for _ in range(1000 if LONG else 12):
            self.check(url, stats, self.random_flags(rng))


class Known(LoadCase):
    def test_a_frozen_server_shows_in_an_open_loop(self):
        """Frozen one second in four at an even rate: a quarter of the calls waits 0 to 1 s, evenly."""
        _, record = self.drive("--url", "http://127.0.0.1:{port}/mcp", "--tool", "null", "--rate", 100,
                               "--duration", "16s", "--parallel", 128,
                               command=[REFERENCE_SERVER, "--http=127.0.0.1:{port}", "--weight-freeze=1s/4s"])
        latency = record["steps"][0]["latency"]
        self.assertEqual(latency["count"], 1600)
        self.assert_near(latency["p90_ms"], 600, 0.05, "p90")
        self.assert_near(latency["p99_ms"], 960, 0.05, "p99")

    def test_a_delay_is_seen_and_its_rate_follows_from_it(self):
        """Twenty milliseconds, one caller with two calls in flight: a hundred a second at the most."""
        _, record = self.drive("--url", "http://127.0.0.1:{port}/mcp", "--tool", "null", "--duration", "3s",
                               "--parallel", 2,
                               command=[REFERENCE_SERVER, "--http=127.0.0.1:{port}", "--weight-delay=20ms"])
        step = record["steps"][0]
        self.assertGreaterEqual(step["latency"]["min_ms"], 20)
        self.assertLessEqual(step["rate"], 100.5)
        self.assertGreater(step["rate"], 50)

    def test_the_highest_rate_that_holds_is_found(self):
        """Ten milliseconds of processor time a call: a hundred calls a second are all there is."""
        _, record = self.drive("--url", "http://127.0.0.1:{port}/mcp", "--tool", "null", "--rate", 20,
                               "--duration", "1s", "--until", "p90>150ms",
                               command=[REFERENCE_SERVER, "--http=127.0.0.1:{port}", "--weight-cpu=10ms"])
        verdict = record["verdict"]
        self.assertIsNotNone(verdict["broke_rate"])
        self.assertLess(verdict["held_rate"] or 0, 120)
        self.assertLessEqual(verdict["held_rate"] or 0, verdict["broke_rate"])

    def test_stdio_carries_several_calls_at_once(self):
        _, record = self.drive("--tool", "null", "--requests", 200, "--credentials", 3, "--parallel", 4,
                               "--mix", "tools/call:null=1,tools/list=1", "--alternate",
                               command=[REFERENCE_SERVER])
        step = record["steps"][0]
        self.assertEqual(step["served"], 200)
        self.assertEqual({each["media"] for each in step["operations"]}, {"stdio"})
        self.assertEqual(sum(each["served"] for each in step["operations"]), 200)

    def test_every_step_of_a_series_is_in_the_record_and_the_report_draws_it(self):
        run, record = self.drive("--url", "http://127.0.0.1:{port}/mcp", "--tool", "null", "--step", "50,100",
                                 "--duration", "1s",
                                 command=[REFERENCE_SERVER, "--http=127.0.0.1:{port}"])
        self.assertEqual([step["sent"] for step in record["steps"]], [50, 100])
        self.assertEqual([step["name"] for step in record["steps"]], ["50/s", "100/s"])
        drawn = self.program("report", run.record_path, "--format", "markdown")
        self.assertEqual(drawn.out, run.report_path.read_text(encoding="utf-8"))
        self.assertIsNone(record["steps"][0]["latency"]["p99_ms"])


class BadInput(LoadCase):
    COMMAND = [REFERENCE_SERVER, "--http=127.0.0.1:{port}"]
    URL = ["--url", "http://127.0.0.1:{port}/mcp"]

    def refuse(self, flags, *parts, code=2):
        run, record = self.drive(*self.URL, *flags, command=self.COMMAND, code=code)
        self.assert_one_clear_error(run, *parts)
        self.assertIsNone(record)

    def test_is_refused_before_anything_starts(self):
        self.refuse(["--rate", "0"], "a rate of 0 sends nothing", "--rate")
        self.refuse(["--rate=-5"], "a rate of -5 sends nothing")
        self.refuse(["--step", "10,none"], '"none" is no rate', "--step")
        self.refuse(["--mix", "tools/list=0,tools/call=0"], "the mix sums to nothing")
        self.refuse(["--mix", "tools/list=-1"], "is no weight")
        self.refuse(["--profile", "10-0"], "is no stretch of a profile")
        self.refuse(["--until", "p98>1s"], "is no condition", "p99.9")
        self.refuse(["--rate", "5", "--think", "1s"], "--think")
        self.refuse(["--driver-cpus", "5000"], "--driver-cpus")
        self.refuse(["--arguments-file", self.file("arguments", '{"a":1}\n[2]\n')], "arguments:2", "JSON object")

    def test_names_the_number_of_descriptors_that_a_load_needs(self):
        self.refuse(["--credentials", "1000000", "--parallel", "4"], "4000064 open descriptors")

    def test_names_the_nearest_tool(self):
        self.refuse(["--tool", "nul"], 'has no tool "nul"', 'Did you mean "null"?')
        self.refuse(["--mix", "tools/call:nulll"], 'has no tool "nulll"', 'Did you mean "null"?')

    def test_a_server_that_dies_under_load_breaks_the_run_off_and_keeps_the_record(self):
        program = self.file("dying.sh", f'{REFERENCE_SERVER} "$@" & sleep 2; kill -9 $!; wait')
        run, record = self.drive(*self.URL, "--tool", "null", "--duration", "20s",
                                 command=["sh", program, "--http=127.0.0.1:{port}"], code=4)
        self.assert_one_clear_error(run)
        self.assertEqual(record["status"], "broke_off")


if LONG:
    sys.argv.remove("--long")
    del Known, BadInput
main()
