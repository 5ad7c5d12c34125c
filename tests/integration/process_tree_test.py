#!/usr/bin/env python3
"""The whole process tree is weighed: launchers, children of children, and those whose parent is gone."""

import re
import shlex
import shutil
import sys
import threading
import unittest

import harness

FAMILY = [sys.executable, str(harness.SERVERS / "family.py")]
ONE_CLIENT = ["--clients", 1, "--parallel", 1, "--rounds", 2, "--repeat", 1, "--no-report"]
TIME = "/usr/bin/time"


class TreeTest(harness.Case):
    def test_every_process_of_a_launcher_chain_is_counted(self):
        # "exit $?" keeps a shell from replacing itself by its last command.
        inner = f"{shlex.quote(harness.REFERENCE_SERVER)}; exit $?"
        command = ["sh", "-c", f"sh -c {shlex.quote(inner)}; exit $?"]
        run = self.weigh("--clients", 2, "--parallel", 2, "--rounds", 2, "--repeat", 1, "--tool", "null",
                         command=command)
        repeat = run.repeat
        self.assertEqual(repeat["resources"]["processes"], 6)
        roles = sorted((process["name"], process["role"]) for process in repeat["processes"])
        server = "reference-serve"  # the kernel keeps fifteen characters
        self.assertEqual(roles, 2 * [(server, "server")] + 4 * [("sh", "launcher")])
        total = sum(process["resident_mib"] for process in repeat["processes"])
        self.assert_near(repeat["memory"]["all_clients"]["resident_mib"], total, 0.02, "sum of the tree")
        self.assertNotIn("orphans_ended", harness.doubts_of(run.record))

    def test_a_child_that_outlives_its_parent_is_found_reported_and_ended(self):
        run = self.weigh(*ONE_CLIENT, command=[*FAMILY, "orphan"])
        self.assertEqual(run.repeat["resources"]["orphaned"], 1)
        # The server and its orphan; the shell between them has ended.
        self.assertEqual(run.repeat["resources"]["processes"], 2)
        (doubt,) = harness.doubts_of(run.record)["orphans_ended"]
        self.assertIn("sleep 3599", doubt["message"])
        self.assertIn("sleep 3599", run.out)

    def test_a_daemon_in_a_session_of_its_own_is_found_reported_and_ended(self):
        run = self.weigh(*ONE_CLIENT, command=[*FAMILY, "stubborn"])
        self.assertEqual(run.repeat["resources"]["processes"], 2)
        (doubt,) = harness.doubts_of(run.record)["orphans_ended"]
        self.assertIn("family.py stubborn", doubt["message"])


@unittest.skipUnless(shutil.which(TIME), "needs /usr/bin/time")
class ProcessorTimeTest(harness.Case):
    def test_processor_time_of_a_tree_agrees_with_time(self):
        verdict = self.folder / "time.txt"
        command = [TIME, "-v", "-o", verdict, harness.REFERENCE_SERVER, "--weight-cpu=20ms"]
        run = self.weigh("--clients", 1, "--parallel", 4, "--rounds", 70, "--repeat", 1, "--no-report",
                         "--tool", "null", command=command)
        # Two processes wrote the file one after the other, the scouted server and the weighed one.
        text = verdict.read_text()
        seconds = sum(float(value) for value in re.findall(r"(?:User|System) time \(seconds\): ([\d.]+)", text))
        self.assertGreater(seconds, 5, "too little to judge by")
        cpu = run.repeat["cpu"]
        self.assert_near(cpu["total_seconds"], seconds, 0.03, "CPU of the tree")
        self.assert_near(cpu["user_seconds"] + cpu["system_seconds"], seconds, 0.03, "user and system")
        self.assertEqual({process["name"] for process in run.repeat["processes"]}, {"time", "reference-serve"})


class AttachedMemoryTest(harness.Case):
    def test_the_resident_set_agrees_with_what_the_kernel_tells_us(self):
        port = harness.free_port()
        server = self.start_server(harness.REFERENCE_SERVER, "--surface=individual", "--weight-hold=3MiB",
                                   f"--http=127.0.0.1:{port}", port=port)
        before = harness.status_kib(server.pid, "VmRSS") / 1024
        seen = []
        over = threading.Event()

        def watch():
            while not over.wait(0.02):
                seen.append(harness.status_kib(server.pid, "VmRSS") / 1024)

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            run = self.weigh("--clients", 4, "--parallel", 2, "--rounds", 20, "--repeat", 1, "--no-report",
                             "--tool", "null", "--credential", "PRIVATE-TOKEN: {credential}",
                             "--url", f"http://127.0.0.1:{port}/mcp", "--pid", server.pid)
        finally:
            over.set()
            watcher.join()
        memory = run.repeat["memory"]
        after = harness.status_kib(server.pid, "VmRSS") / 1024
        self.assertGreater(after, before + 4 * 3, "nothing to see")
        self.assert_near(memory["after_load"]["resident_mib"], after, 0.03, "resident set after the load")
        self.assert_near(memory["peak_mib"], max(seen), 0.05, "peak")
        self.assert_near(max(run.repeat["trace"]["resident_mib"]), max(seen), 0.05, "largest sample")
        self.assertIn("attached", harness.doubts_of(run.record))
        self.assertIsNone(server.poll(), "a server that was only attached to was ended")


if __name__ == "__main__":
    harness.main()
