#!/usr/bin/env python3
"""Bad input: one clear error, its exit code, no process left, and what was measured kept."""

import contextlib
import os
import resource
import shutil
import socket
import subprocess
import sys
import unittest

import harness

WRONG_WORDS, TARGET, BROKE_OFF = 2, 3, 4
BAD = [sys.executable, str(harness.SERVERS / "bad.py")]
QUICK = ["--quick", "--no-report"]


class PlanTest(harness.Case):
    """Mistakes in a plan are refused before anything starts."""

    def refuse(self, text, *parts):
        plan = self.file("plan.toml", text)
        started = self.folder / "started"
        run = self.weigh(plan, code=WRONG_WORDS)
        self.assert_one_clear_error(run, *parts)
        self.assertEqual(run.out, "")
        self.assertFalse(started.exists(), "the server was started for a plan that was refused")
        self.assertFalse(run.folder.exists(), "results were written for a plan that was refused")

    @staticmethod
    def stdio(line):
        return f'schema = 1\n[target.stdio]\ncommand = ["sh", "-c", "touch started"]\n{line}\n'

    def test_an_unknown_key_is_named_with_the_nearest_valid_one(self):
        self.refuse(self.stdio('directry = "."'), "`directry`", "plan.toml:4:1", "`directory`")

    def test_an_unknown_table_is_named_with_the_nearest_valid_one(self):
        self.refuse(self.stdio("[rnu]\nrounds = 3"), "`rnu`", "plan.toml:4:", "run")

    def test_a_wrong_type_is_told_with_line_and_column(self):
        self.refuse(self.stdio('[run]\nrounds = "three"'), "`rounds`", "plan.toml:5:10", "whole number")

    def test_a_duration_that_is_none_is_told_with_line_and_column(self):
        self.refuse(self.stdio('[run]\nready_timeout = "soon"'), "soon", "plan.toml:5:17")

    def test_broken_toml_is_told_with_line_and_column(self):
        self.refuse("schema = 1\nname = = 2\n", "plan.toml:2:8")

    def test_an_unknown_placeholder_is_named(self):
        self.refuse('schema = 1\n[target.stdio]\ncommand = ["x", "{plan_dri}"]\n', "{plan_dri}",
                    "plan.toml:3:", "{plan_dir}")

    def test_a_plan_that_is_not_there_is_named(self):
        run = self.weigh("no-such-plan.toml", code=WRONG_WORDS)
        self.assert_one_clear_error(run, "no-such-plan.toml")


class WordsTest(harness.Case):
    """Mistakes on the command line."""

    def refuse(self, *words, parts):
        run = self.program(*words, cwd=self.folder)
        self.assertEqual(run.code, WRONG_WORDS, run)
        self.assert_one_clear_error(run, *parts)
        self.assertEqual(os.listdir(self.folder), [])

    def test_an_unknown_flag_is_answered_with_the_nearest_one(self):
        self.refuse("run", "--round", "3", "--", "true", parts=["--round", "--rounds"])

    def test_no_server_at_all_is_an_error(self):
        self.refuse("run", parts=["no server"])

    def test_a_scenario_that_does_not_exist_is_answered_with_those_that_do(self):
        self.refuse("run", "--only", "http*", "--", "true", parts=["http*", "stdio"])

    def test_results_that_cannot_be_written_are_refused_before_the_run(self):
        self.refuse("run", "-o", "/proc/no/such", "--", "true", parts=["/proc/no/such", "-o"])


class CommandTest(harness.Case):
    """Targets that cannot be started or never become ready."""

    def refuse(self, *parts, command=(), flags=()):
        run = self.weigh(*QUICK, *flags, command=command, code=TARGET)
        self.assert_one_clear_error(run, *parts)
        self.assertEqual(run.out, "")
        self.assertFalse(run.folder.exists(), "an empty record was written")
        return run

    def over_http(self, fault, *parts, flags=()):
        # In a shell, so that there is a child of a child to clean up.
        script = f"{BAD[0]} {BAD[1]} {fault} --http {{port}}; exit $?"
        return self.refuse(*parts, command=["sh", "-c", script],
                           flags=["--url", "http://127.0.0.1:{port}/mcp", *flags])

    def test_a_command_that_does_not_exist_is_named(self):
        self.refuse("no-such-server", "PATH", command=["no-such-server", "--stdio"])

    def test_a_file_that_cannot_be_executed_is_named(self):
        self.refuse("server.js", command=[self.file("server.js", "console.log(1)")])

    def test_the_last_stderr_lines_of_a_server_that_exits_at_once_are_shown(self):
        run = self.refuse("exit status 1", "line 30 of the complaint", "lorry.yaml not found",
                          command=[*BAD, "exits"])
        self.assertNotIn("line 5 of the complaint", run.err)

    def test_the_last_stderr_lines_of_a_server_over_http_are_shown_too(self):
        self.over_http("exits", "exit status 1", "lorry.yaml not found")

    def test_a_server_that_ends_before_it_says_anything_is_told(self):
        self.refuse("exit status 0", "nothing", command=["true"])

    def test_a_server_that_never_answers_is_given_up_after_the_ready_timeout(self):
        self.refuse("silence", command=[*BAD, "silent"], flags=["--ready-timeout", "1s"])

    def test_a_server_that_never_answers_over_http_is_given_up_likewise(self):
        self.over_http("silent", "--ready-timeout", flags=["--ready-timeout", "1s"])

    def test_a_server_that_never_listens_is_given_up_likewise(self):
        self.refuse("--ready-timeout", command=["sleep", "3597", "{port}"],
                    flags=["--url", "http://127.0.0.1:{port}/mcp", "--ready-timeout", "1s"])

    def test_garbage_is_quoted(self):
        # Whoever prints something else may still answer: only time tells.
        self.refuse("Warming up the frobnicator", command=[*BAD, "garbage"],
                    flags=["--ready-timeout", "8s"])

    def test_garbage_over_http_is_quoted(self):
        self.over_http("garbage", "Warming up the frobnicator")

    def test_a_server_of_an_unknown_revision_is_told_which_are_known(self):
        self.refuse("1999-12-31", "2025-11-25", command=[*BAD, "unknown-revision"])

    def test_a_server_of_an_unknown_revision_over_http_is_told_likewise(self):
        self.over_http("unknown-revision", "1999-12-31", "2025-11-25")

    def test_a_server_without_tools_has_nothing_to_weigh(self):
        self.refuse("no tools", command=[*BAD, "no-tools"])

    def test_a_tool_that_does_not_exist_is_answered_with_the_nearest_one(self):
        run = self.weigh(*QUICK, "--tool", "nul", command=[*BAD, "dies"], code=WRONG_WORDS)
        self.assert_one_clear_error(run, '"nul"', '"null"')

    def test_a_port_that_is_in_use_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            self.refuse(str(port), "in use", command=[*BAD, "no-tools", "--http", port],
                        flags=["--url", f"http://127.0.0.1:{port}/mcp"])

    def test_an_attached_server_that_is_not_there_is_named(self):
        port = harness.free_port()
        self.refuse(str(port), flags=["--url", f"http://127.0.0.1:{port}/mcp", "--ready-timeout", "1s"])


class PidTest(harness.Case):
    """--pid names the tree behind --url; one that cannot be read must not pass for a light one."""

    def setUp(self):
        super().setUp()
        self.port = harness.free_port()
        self.start_server(*BAD, "dies", "--http", str(self.port), port=self.port)
        self.url = ["--url", f"http://127.0.0.1:{self.port}/mcp"]

    def test_a_pid_that_is_nobodys_is_refused(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        run = self.weigh(*QUICK, *self.url, "--pid", ended.pid, code=TARGET)
        self.assert_one_clear_error(run, str(ended.pid), "Is it running")
        self.assertEqual(run.out, "")

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root and setpriv")
    def test_a_pid_of_another_user_is_weighed_with_what_can_be_read_and_says_so(self):
        mine = self.start("sleep", "3598", env={harness.MARK: "server-of-" + self.mark})
        program = self.folder / "weighbridge"
        shutil.copy(harness.WEIGHBRIDGE, program)
        os.chmod(self.folder, 0o777)
        words, folder = self.run_words(*QUICK, *self.url, "--pid", mine.pid)
        run = self.program("--reuid=65534", "--clear-groups", program, *words,
                           program=shutil.which("setpriv"), folder=folder)
        # The kernel shows strangers the resident set but not the proportional one. It is absent, never
        # zero, and the record says why.
        self.assertEqual(run.code, 0, run)
        moment = run.repeat["memory"]["all_clients"]
        self.assertGreater(moment["resident_mib"], 0)
        self.assertIsNone(moment["proportional_mib"])
        self.assertIn("missing_source", harness.doubts_of(run.record))


class BrokenOffTest(harness.Case):
    """A run that breaks off keeps what it had measured."""

    def test_a_server_that_dies_under_load_breaks_the_run_off_and_leaves_its_last_words(self):
        run = self.weigh("--clients", 1, "--parallel", 1, "--rounds", 20, "--repeat", 2,
                         command=[*BAD, "dies"], code=BROKE_OFF)
        self.assert_one_clear_error(run, "exit status 7", "the tenth call was one too many")
        self.assertEqual(run.record["status"], "broke_off")
        self.assertIn("exit status 7", run.record["broke_off_because"])
        call = harness.methods_of(run.repeat)["tools/call"]
        self.assertEqual(call["served"]["count"], 9)
        self.assertGreater(call["failed"]["count"], 0)
        self.assertIn("target_died", harness.doubts_of(run.record))
        self.assertIn("broke off", run.report_path.read_text(encoding="utf-8"))

    def sound(self, repeats):
        # With so many samples a record is larger than what is tried at the start.
        return ["--clients", 1, "--parallel", 1, "--rounds", 2000, "--repeat", repeats, "--tool", "null", "--no-report"]

    def assert_kept(self, run):
        """The record on the disk is whole, of an earlier step, and nothing lies beside it."""
        self.assertEqual(os.listdir(run.folder), ["record.json"])
        self.assertEqual(run.record["status"], "broke_off")
        self.assertIn(len(harness.repeats_of(run.record)), range(1, 6), run)

    def test_a_record_that_outgrows_a_file_size_limit_is_kept_as_it_was(self):
        first = self.weigh(*self.sound(1), command=[harness.REFERENCE_SERVER])
        limit = 2 * first.record_path.stat().st_size
        run = self.weigh(*self.sound(6), command=[harness.REFERENCE_SERVER], code=BROKE_OFF,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assert_one_clear_error(run, "record.json", "File too large", "ulimit -f")
        self.assert_kept(run)

    @contextlib.contextmanager
    def small_disk(self, kib):
        """A file system of its own with so much room."""
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", disk],
                                 capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("a file system cannot be mounted here")
        try:
            yield disk
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_a_disk_that_fills_up_during_the_run_leaves_the_last_whole_record(self):
        first = self.weigh(*self.sound(1), command=[harness.REFERENCE_SERVER])
        # Saving needs room for the old record and the new one.
        kib = 4 * first.record_path.stat().st_size // 1024
        with self.small_disk(kib) as disk:
            run = self.weigh(*self.sound(6), "-o", disk / "results", command=[harness.REFERENCE_SERVER],
                             code=BROKE_OFF)
            self.assert_one_clear_error(run, "record.json", "No space left", "space")
            self.assert_kept(run)
        self.assertIn("tools/list", run.out, "what was measured was not shown either")

    def test_a_disk_that_is_full_from_the_start_is_told_before_anything_starts(self):
        with self.small_disk(16) as disk:
            with contextlib.suppress(OSError), open(disk / "filler", "wb", buffering=0) as filler:
                while True:
                    filler.write(bytes(4096))
            run = self.weigh("-o", disk / "results", command=["sh", "-c", f"touch {self.folder}/started"],
                             code=WRONG_WORDS)
            self.assert_one_clear_error(run, str(disk), "No space left", "-o DIR")
        self.assertFalse((self.folder / "started").exists())

    def test_a_full_disk_behind_standard_output_is_an_error(self):
        words, folder = self.run_words(*self.sound(1), "--json", command=[harness.REFERENCE_SERVER])
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([harness.WEIGHBRIDGE, *words], env=self.environment(), stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, BROKE_OFF, done.stderr)
        self.assertIn("standard output", done.stderr)
        harness.read_record((folder / "record.json").read_text(encoding="utf-8"))
        self.assert_nothing_survives(done.stderr)


if __name__ == "__main__":
    harness.main()
