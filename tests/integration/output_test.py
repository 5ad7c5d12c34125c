#!/usr/bin/env python3
"""What is written where: results, progress, files; and that one copied file is the whole program."""

import json
import os
import pty
import select
import shutil
import unittest

import harness

QUICK = ["--quick", "--clients", 1, "--tool", "null"]
ESCAPE = "\x1b"


class OutputTest(harness.Case):
    def test_results_go_to_standard_output_and_progress_to_standard_error(self):
        run = self.weigh(*QUICK, command=[harness.REFERENCE_SERVER])
        for text in ("tools/list", str(run.record_path), str(run.report_path)):
            self.assertIn(text, run.out)
        self.assertIn("[1/1] stdio", run.err)
        self.assertNotIn("[1/1]", run.out)
        self.assertEqual(run.error, "")

    def test_what_is_no_terminal_gets_no_escape_sequences(self):
        run = self.weigh(*QUICK, "-v", command=[harness.REFERENCE_SERVER])
        self.assertNotIn(ESCAPE, run.out + run.err)

    def test_json_is_the_valid_record_and_nothing_else(self):
        run = self.weigh(*QUICK, "--json", command=[harness.REFERENCE_SERVER])
        self.assertEqual(harness.read_record(run.out), run.record)
        self.assertIn(str(run.record_path), run.err)

    def test_json_of_a_run_that_fails_before_its_first_figure_is_nothing(self):
        run = self.weigh(*QUICK, "--json", command=["no-such-server"], code=3)
        self.assertEqual(run.out, "")

    def test_no_report_leaves_only_the_record(self):
        run = self.weigh(*QUICK, "--no-report", command=[harness.REFERENCE_SERVER])
        self.assertEqual(os.listdir(run.folder), ["record.json"])

    def test_without_a_folder_results_lie_under_the_name_of_what_was_weighed(self):
        run = self.program("run", *QUICK, "--", harness.REFERENCE_SERVER, cwd=self.folder)
        self.assertEqual(run.code, 0, run)
        (folder,) = (self.folder / "weighbridge-results").iterdir()
        self.assertTrue(folder.name.startswith("reference-server-"), folder.name)
        self.assertEqual(sorted(os.listdir(folder)), ["record.json", "report.md"])

    def test_a_record_draws_the_same_report_again(self):
        run = self.weigh(*QUICK, command=[harness.REFERENCE_SERVER])
        again = self.program("report", run.record_path, "--format", "markdown")
        self.assertEqual(again.code, 0, again)
        self.assertEqual(again.out, run.report_path.read_text(encoding="utf-8"))
        shown = self.program("report", run.record_path)
        self.assertIn(shown.out.strip(), run.out)
        parsed = self.program("report", run.record_path, "--format", "json")
        self.assertEqual(json.loads(parsed.out), run.record)

    def test_help_of_every_command_has_examples_and_needs_nothing(self):
        for words in (["--help"], ["run", "--help"], ["report", "--help"], ["plan", "--help"]):
            with self.subTest(words=words):
                run = self.program(*words, env={"HOME": None, "TERM": None, "PATH": None})
                self.assertEqual((run.code, run.err), (0, ""), run)
                self.assertIn("weighbridge", run.out)
                self.assertIn("xample", run.out)

    def test_version_names_the_program_and_its_build(self):
        run = self.program("--version")
        self.assertEqual(run.code, 0, run)
        self.assertRegex(run.out, r"^weighbridge \d+\.\d+\.\d+ \(.*g\+\+")


class TerminalTest(harness.Case):
    """The same on a terminal, which is a pair of pseudo-terminal ends here."""

    def on_terminal(self, changes):
        words, folder = self.run_words(*QUICK, command=[harness.REFERENCE_SERVER])
        ours, theirs = pty.openpty()
        run = self.start(harness.WEIGHBRIDGE, *words, env={"TERM": "xterm", "NO_COLOR": None, **changes},
                         stdout=theirs, stderr=theirs)
        os.close(theirs)
        shown = b""
        while select.select([ours], [], [], harness.PATIENCE)[0]:
            try:
                read = os.read(ours, 65536)
            except OSError:  # how a pseudo-terminal says that its other end is closed
                break
            shown += read
        os.close(ours)
        self.assertEqual(run.wait(), 0)
        self.assert_nothing_survives()
        self.assertTrue((folder / "record.json").exists())
        return shown.decode()

    def test_a_terminal_shows_live_progress(self):
        shown = self.on_terminal({})
        self.assertIn("[1/1] stdio: load", shown)
        self.assertIn(ESCAPE + "[J", shown, "the block is never redrawn")

    def test_no_color_is_respected(self):
        self.assertNotRegex(self.on_terminal({"NO_COLOR": "1"}), ESCAPE + r"\[[0-9;]*m")

    def test_a_dumb_terminal_gets_lines(self):
        self.assertNotIn(ESCAPE, self.on_terminal({"TERM": "dumb"}))


class CopyTest(harness.Case):
    def test_one_copied_file_works_in_an_empty_folder_without_the_checkout(self):
        if harness.SANITIZED:
            self.skipTest("a sanitised program is not for copying")
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        program = elsewhere / "scale"
        shutil.copy(harness.WEIGHBRIDGE, program)
        shutil.copy(harness.REFERENCE_SERVER, elsewhere / "server")
        words = ["run", *QUICK, "-o", "results", "--", "./server"]
        environment = {"PATH": "/usr/bin:/bin", "HOME": None, "LD_LIBRARY_PATH": None}
        run = self.program(*words, program=program, folder=elsewhere / "results", env=environment,
                           cwd=elsewhere)
        self.assertEqual(run.code, 0, run)
        self.assertEqual(run.record["status"], "complete")
        self.assertEqual(sorted(os.listdir(elsewhere)), ["results", "scale", "server"])


class PublishTest(harness.Case):
    """What a plan publishes is only ever replaced by the run that the plan describes."""

    def setUp(self):
        super().setUp()
        self.plan = self.file("plan.toml", f"""
            schema = 1
            name = "published"
            [target.stdio]
            command = ["sh", "-c", "touch {self.folder}/started; exec {harness.REFERENCE_SERVER}"]
            [run]
            stdio_clients = 1
            rounds = 1
            repeat = 1
            [publish]
            record = "{self.folder}/docs/record.json"
            pages = ["{self.folder}/docs/page.md"]
            """)
        self.record = self.folder / "docs" / "record.json"
        self.page = self.folder / "docs" / "page.md"

    def test_a_whole_run_writes_what_the_plan_publishes(self):
        run = self.program("run", self.plan, cwd=self.folder)
        self.assertEqual(run.code, 0, run)
        harness.read_record(self.record.read_text(encoding="utf-8"))
        self.assertIn("tools/list", self.page.read_text(encoding="utf-8"))

    def test_a_quick_or_partial_run_refuses_to_write_there_and_starts_nothing(self):
        for flags in (["--quick"], ["--only", "stdio"], ["--rounds", "2"], ["--repeat", "2"],
                      ["--quick", "-o", self.folder / "docs"]):
            with self.subTest(flags=flags):
                run = self.program("run", self.plan, *flags, cwd=self.folder)
                self.assertEqual(run.code, 2, run)
                self.assert_one_clear_error(run, flags[0], "-o")
                self.assertFalse((self.folder / "started").exists(), "the server was started")
                self.assertFalse(self.record.exists())
                self.assertFalse(self.page.exists())

    def test_a_quick_run_with_a_folder_of_its_own_publishes_nothing(self):
        run = self.weigh(self.plan, "--quick", cwd=self.folder)
        self.assertTrue(run.report_path.exists())
        self.assertFalse(self.record.exists())
        self.assertFalse(self.page.exists())

    def test_a_run_that_breaks_off_publishes_nothing(self):
        broken = self.file("broken.toml", (self.folder / "plan.toml").read_text().replace(
            f"exec {harness.REFERENCE_SERVER}", "exit 5"))
        run = self.program("run", broken, cwd=self.folder)
        self.assertEqual(run.code, 3, run)
        self.assertFalse(self.record.exists())


if __name__ == "__main__":
    harness.main()
