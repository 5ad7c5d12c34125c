#!/usr/bin/env python3
"""`weighbridge calibrate`: what the reference server is told to weigh comes back as weighed.

A busy machine makes times longer and leaves weights unjudged; it does not change memory, descriptors or the
burnt processor time by much. The plain test allows for that; the long one holds every weight that could be
judged against the bounds that calibrate itself knows.
"""

import json
import signal
import sys
import time
import unittest

import harness

SCHEMA = json.loads((harness.ROOT / "schema" / "calibration.schema.json").read_text(encoding="utf-8"))

#: id -> (truth, unit, largest error in percent on a busy machine; None: times that only grow)
WEIGHTS = {
    "memory-50k": (50, "KiB", 3),
    "memory-64k": (64, "KiB", 3),
    "memory-peak": (64, "MiB", 5),
    "cpu-1": (5, "ms", 20),
    "cpu-64": (5, "ms", 20),
    "delay-constant-p50": (10, "ms", None),
    "leak-slope": (4, "KiB", 10),
    "held-descriptors": (7, "each", 0),
    "held-threads": (3, "each", 0),
    "start-delay": (300, "ms", None),
    "start-cpu": (200, "ms", 20),
    "freeze-p99": (None, "ms", None),
}
TOLD = {"null-growth", "leak-told"}
OTHERS = {"null-memory", "null-cpu", "null-latency", "delay-exponential-p50", "delay-exponential-p90",
          "delay-exponential-p99"}


class CalibrateCase(harness.Case):
    def calibrate(self, *flags, codes=(0, 1), timeout=120):
        folder = self.folder / "calibration"
        run = self.program("calibrate", "-o", folder, *flags, folder=folder, timeout=timeout)
        self.assertIn(run.code, codes, run)
        return run

    def read(self, run):
        record = json.loads(run.record_path.read_text(encoding="utf-8"))
        harness.jsonschema.Draft202012Validator(SCHEMA).validate(record)
        return record, {weight["id"]: weight for weight in record["weights"]}

    def report_of_a_run(self):
        run = self.weigh("--quick", "--tool", "null", command=[harness.REFERENCE_SERVER])
        return run.record, run.report_path.read_text(encoding="utf-8")


class QuickTest(CalibrateCase):
    def test_known_weights_come_back_and_a_later_run_tells_how_accurate_it_is(self):
        accuracy, report = self.report_of_a_run()
        self.assertIsNone(accuracy["accuracy"])
        self.assertIn("Run: weighbridge calibrate", report)

        begun = time.monotonic()
        run = self.calibrate("--quick")
        took = time.monotonic() - begun
        print(f"a quick calibration took {took:.0f} s", file=sys.stderr)
        record, weights = self.read(run)
        self.assertEqual(record["status"], "complete")
        self.assertTrue(record["quick"])
        # A busy machine may not come to the last ones before the time is up.
        self.assertLessEqual(set(weights), set(WEIGHTS) | TOLD | OTHERS)
        self.assertIn("memory-50k", weights)
        self.check_figures(weights)
        self.check_verdicts(record, weights, run)
        self.check_later_run(record)

    def check_figures(self, weights):
        for name, weight in weights.items():
            count = len(weight["weighings"])
            self.assertGreaterEqual(count, 1, name)
            self.assertEqual(weight["not_quiet"], sum(not each["quiet"] for each in weight["weighings"]), name)
            if name not in WEIGHTS or harness.SANITIZED:
                continue
            truth, unit, most = WEIGHTS[name]
            self.assertEqual(weight["unit"], unit, name)
            if truth is not None:
                self.assertGreaterEqual(weight["truth"], truth * 0.999, name)
            if most == 0:
                self.assertEqual(weight["measured"], truth, name)
            elif most is not None:
                self.assert_near(weight["measured"], weight["truth"], most / 100, name)

    def check_verdicts(self, record, weights, run):
        verdicts = {weight["verdict"] for weight in weights.values()}
        self.assertEqual(run.code, 0 if verdicts == {"within"} else 1)
        for name, weight in weights.items():
            quiet = len(weight["weighings"]) - weight["not_quiet"]
            self.assertEqual(weight["verdict"] == "too_few_quiet", quiet < record["least_quiet"], name)
            self.assertIn(name, run.out)
        judged = [weight for weight in weights.values() if weight["verdict"] != "too_few_quiet"]
        print(f"{len(judged)} of {len(weights)} weights could be judged", file=sys.stderr)

    def check_later_run(self, record):
        told = record["accuracy"]
        known = any(told[figure] is not None for figure in ("memory_percent", "cpu_percent", "p99_us"))
        kept = list((self.folder / "state" / "weighbridge").glob("calibration-*.json"))
        self.assertEqual(len(kept), 1 if known else 0, "kept where, and only when, it says something")
        later, report = self.report_of_a_run()
        if known:
            self.assertEqual(later["accuracy"], told)
            self.assertIn("On this host: ", report)
            self.assertIn("calibrated quickly", report)
        else:
            self.assertIsNone(later["accuracy"])
            self.assertIn("Run: weighbridge calibrate", report)

    def test_only_some_weights_are_weighed_and_nothing_is_kept_of_them(self):
        run = self.calibrate("--quick", "--only", "held-*", "--json")
        record, weights = self.read(run)
        self.assertEqual(json.loads(run.out), record)
        self.assertEqual(set(weights), {"held-descriptors", "held-threads"})
        if not harness.SANITIZED:  # which may have a thread of its own
            self.assertEqual(weights["held-threads"]["measured"], 3)
        self.assertFalse((self.folder / "state").exists())


class BadInputTest(CalibrateCase):
    def test_an_unknown_weight_is_refused_with_those_that_are_known(self):
        run = self.calibrate("--only", "gravity", codes=(2,))
        self.assert_one_clear_error(run, "gravity", "memory-50k")
        self.assertFalse(run.record_path.exists())

    def test_a_missing_server_is_refused_before_anything_starts(self):
        run = self.calibrate("--server", self.folder / "nothing", codes=(2,))
        self.assert_one_clear_error(run, "nothing", "--server PATH")

    def test_a_server_that_is_no_reference_server_is_told(self):
        run = self.calibrate("--server", "/bin/false", codes=(3,))
        self.assert_one_clear_error(run)

    def test_an_interruption_leaves_what_was_weighed_and_no_process(self):
        folder = self.folder / "cut"
        process = self.start(harness.WEIGHBRIDGE, "calibrate", "-o", str(folder), "--only", "cpu-*",
                             stdout=harness.subprocess.DEVNULL, stderr=harness.subprocess.DEVNULL)
        self.assertTrue(harness.wait_until(lambda: (folder / "record.json").exists()))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=harness.PATIENCE), 130)
        record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
        self.assertEqual(record["status"], "interrupted")
        self.assertTrue(record["weights"])
        self.assertFalse((self.folder / "state").exists())
        self.assert_nothing_survives()


class FullTest(CalibrateCase):
    def test_every_weight_that_can_be_judged_is_within_its_bound(self):
        run = self.calibrate(timeout=400)
        _, weights = self.read(run)
        print(run.out, file=sys.stderr)
        self.assertLessEqual(set(WEIGHTS) | TOLD | OTHERS, set(weights))
        outside = [name for name, weight in weights.items() if weight["verdict"] == "outside"]
        self.assertEqual(outside, [], run.out)


if "--long" in sys.argv:
    sys.argv.remove("--long")
    del QuickTest, BadInputTest
else:
    del FullTest
harness.main()
