#!/usr/bin/env python3
"""However a run is cut short, nothing survives it and what was finished is kept.

A signal is sent at random instants of a run, for three kinds of target. The instants come from a seed that
every failure names; WEIGHBRIDGE_TEST_SEED repeats them.

    interrupt_test.py         three instants for each signal, one for each kind of target
    interrupt_test.py --long  ten for each signal
"""

import dataclasses
import os
import random
import re
import secrets
import signal
import subprocess
import sys
import time

import harness

INTERRUPTED = 130
SEED = int(os.environ.get("WEIGHBRIDGE_TEST_SEED") or secrets.randbits(32))
INSTANTS = 10 if "--long" in sys.argv else 3

FAMILY = f"{sys.executable} {harness.SERVERS / 'family.py'}"


@dataclasses.dataclass(frozen=True)
class Target:
    name: str
    repeats: int
    command: list
    flags: tuple = ()


TARGETS = [
    Target("the reference server over HTTP", 4, [harness.REFERENCE_SERVER, "--http=127.0.0.1:{port}"],
           ("--url", "http://127.0.0.1:{port}/mcp")),
    Target("a chain of launchers", 4,
           ["sh", "-c", f"sh -c '{harness.REFERENCE_SERVER}; exit $?'; exit $?"]),
    # Every end of it costs the seconds that a server is given to end by itself.
    Target("a server that ignores signals and has a daemon", 1,
           ["sh", "-c", f"{FAMILY} stubborn; exit $?"]),
]


class InterruptTest(harness.Case):
    lengths = {}

    def begin(self, target):
        words, folder = self.run_words("--clients", 2, "--parallel", 2, "--rounds", 3,
                                       "--repeat", target.repeats, "--tool", "null", *target.flags, command=target.command)
        errors = self.folder / f"stderr-{self.runs}"
        with open(errors, "wb") as stream:
            run = self.start(harness.WEIGHBRIDGE, *words, stdout=subprocess.DEVNULL, stderr=stream)
        return run, folder, errors

    def length_of(self, target):
        """Seconds that an undisturbed run takes here and now; this also shows that it can end well."""
        if target.name not in self.lengths:
            begun = time.monotonic()
            run, folder, errors = self.begin(target)
            self.assertEqual(run.wait(harness.PATIENCE), 0, errors.read_text())
            self.lengths[target.name] = time.monotonic() - begun
            self.assert_nothing_survives()
            self.assertEqual(len(self.repeats_kept(folder)), target.repeats)
        return self.lengths[target.name]

    @staticmethod
    def repeats_kept(folder):
        path = folder / "record.json"
        if not path.exists():
            return []
        record = harness.read_record(path.read_text(encoding="utf-8"))
        return harness.repeats_of(record)

    def interrupt(self, target, number, instant):
        run, folder, errors = self.begin(target)
        time.sleep(instant)
        run.send_signal(number)
        code = run.wait(harness.PATIENCE)
        shown = errors.read_text(errors="replace")
        self.assert_nothing_survives(shown)
        if code == 0:
            return  # the run was quicker than the one that was timed
        if number != signal.SIGKILL and code == -number:
            # Before the first thing happens there is nothing to clean up, and the default does.
            self.assertEqual(shown, "")
        else:
            self.assertEqual(code, -number if number == signal.SIGKILL else INTERRUPTED, shown)
        # A step is announced when the one before it has been saved.
        steps = [int(step) for step in re.findall(r"^\[(\d+)/\d+\]", shown, re.MULTILINE)]
        finished = max(steps, default=1) - 1
        kept = self.repeats_kept(folder)
        self.assertGreaterEqual(len(kept), finished, shown)
        for repeat in kept[:finished]:
            self.assertEqual([phase["name"] for phase in repeat["phases"]][-1], "after")
            self.assertTrue(all(method["served"]["count"] == method["sent"] == 12
                                for method in repeat["methods"]), repeat["methods"])
        if code == INTERRUPTED:
            self.assertIn("interrupted", shown)
            if kept:
                record = harness.read_record((folder / "record.json").read_text(encoding="utf-8"))
                self.assertEqual(record["status"], "interrupted")
        self.assertEqual([name for name in os.listdir(folder) if name.startswith(".")]
                         if folder.exists() else [], [], "a temporary file was left")

    def check(self, number):
        chance = random.Random(SEED + number)
        for turn in range(INSTANTS):
            target = TARGETS[turn % len(TARGETS)]
            length = self.length_of(target)
            instant = chance.uniform(0, length)
            with self.subTest(target=target.name, instant=f"{instant:.3f} s of {length:.3f} s", seed=SEED):
                self.interrupt(target, number, instant)

    def test_nothing_survives_an_interrupt_and_what_was_finished_is_kept(self):
        self.check(signal.SIGINT)

    def test_nothing_survives_a_polite_end_and_what_was_finished_is_kept(self):
        self.check(signal.SIGTERM)

    def test_nothing_survives_the_killing_of_the_driver_and_what_was_finished_is_kept(self):
        self.check(signal.SIGKILL)

    def test_waiting_for_a_server_can_be_interrupted(self):
        # Long before the minute is over that a server is given to become ready.
        silent = [sys.executable, str(harness.SERVERS / "bad.py"), "silent"]
        url = ("--url", "http://127.0.0.1:{port}/mcp")
        for target in (Target("never listens", 1, ["sleep", "3596", "{port}"], url),
                       Target("never answers over HTTP", 1, [*silent, "--http", "{port}"], url),
                       Target("never answers on stdio", 1, silent)):
            with self.subTest(target=target.name):
                run, _, errors = self.begin(target)
                self.assertTrue(harness.wait_until(lambda errors=errors: "scout" in errors.read_text()))
                time.sleep(1)
                run.send_signal(signal.SIGINT)
                begun = time.monotonic()
                self.assertEqual(run.wait(harness.PATIENCE), INTERRUPTED, errors.read_text())
                self.assertLess(time.monotonic() - begun, 30)
                self.assert_nothing_survives()


if __name__ == "__main__":
    print(f"seed {SEED}", file=sys.stderr)
    if "--long" in sys.argv:
        sys.argv.remove("--long")
    harness.main()
