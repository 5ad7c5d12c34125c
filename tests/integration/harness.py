"""What every integration test needs: the real programs, run and then looked at from outside.

Nothing here knows the program's code. A record is judged by its JSON Schema and by a validator that is
not ours, processes by /proc, ports by connecting to them.

    WEIGHBRIDGE_BUILD_DIR  where the programs are; build/ of the checkout when it is not set
    WEIGHBRIDGE_SANITIZE   what they were built with, as CMake has it; empty for none
"""

import contextlib
import dataclasses
import functools
import json
import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

try:
    import jsonschema
except ImportError:
    sys.exit("The validator of records is missing: apt-get install python3-jsonschema")

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WEIGHBRIDGE_BUILD_DIR") or ROOT / "build").resolve()
WEIGHBRIDGE = str(BUILD / "weighbridge")
REFERENCE_SERVER = str(BUILD / "reference-server")
SERVERS = pathlib.Path(__file__).resolve().parent / "servers"
SANITIZED = bool(os.environ.get("WEIGHBRIDGE_SANITIZE"))

#: A variable that every process a test starts inherits, with a value of that test's own: whoever still
#: carries it has survived, whatever its parent, process group or session.
MARK = "WEIGHBRIDGE_TEST_MARK"

#: Sanitised programs and busy machines are slow; no test asks how fast something ended.
PATIENCE = 60


# Processes


@dataclasses.dataclass(frozen=True)
class Process:
    pid: int
    command: str

    def __str__(self):
        return f"{self.pid} {self.command}"


def read_proc(pid, name):
    """Bytes of /proc/PID/name; empty when the process is gone, is a zombie or belongs to another."""
    try:
        return pathlib.Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def processes_with(mark):
    """Every live process whose environment carries the mark."""
    word = f"{MARK}={mark}".encode()
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and word in read_proc(entry, "environ").split(b"\0"):
            command = read_proc(entry, "cmdline").replace(b"\0", b" ").decode(errors="replace").strip()
            found.append(Process(int(entry), command))
    return found


def wait_until(condition, seconds=PATIENCE, pause=0.02):
    """The condition's first true value, or its last one when the time is up."""
    deadline = time.monotonic() + seconds
    while not (value := condition()) and time.monotonic() < deadline:
        time.sleep(pause)
    return value


def status_kib(pid, field):
    """A line of /proc/PID/status, such as VmRSS, in KiB."""
    for line in read_proc(pid, "status").decode().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    raise AssertionError(f"/proc/{pid}/status has no {field}")


# Ports


def free_port():
    """A port that nobody listens on at this moment."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def accepts(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
        return True
    return False


def get_json(url):
    with urllib.request.urlopen(url, timeout=5) as answer:
        return json.load(answer)


# Records


@functools.cache
def record_validator():
    schema = json.loads((ROOT / "schema" / "record.schema.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


def read_record(text):
    """A record as a dictionary. Raises where the schema does not allow it."""
    record = json.loads(text)
    record_validator().validate(record)
    return record


def repeats_of(record):
    return [repeat for scenario in record["scenarios"] for repeat in scenario["repeats"]]


def methods_of(repeat):
    return {method["method"]: method for method in repeat["methods"]}


def doubts_of(record):
    """Of the run and of every repeat, by kind."""
    kinds = {}
    for doubt in record["doubts"] + [each for repeat in repeats_of(record) for each in repeat["doubts"]]:
        kinds.setdefault(doubt["kind"], []).append(doubt)
    return kinds


# Runs


@dataclasses.dataclass
class Run:
    """One `weighbridge …` that has ended."""

    code: int
    out: str
    err: str
    folder: pathlib.Path

    @property
    def record_path(self):
        return self.folder / "record.json"

    @property
    def report_path(self):
        return self.folder / "report.md"

    @functools.cached_property
    def record(self):
        return read_record(self.record_path.read_text(encoding="utf-8"))

    @property
    def repeat(self):
        """The only one there is."""
        (repeat,) = repeats_of(self.record)
        return repeat

    @property
    def error(self):
        """What follows "weighbridge: " on standard error, to its end."""
        _, _, error = ("\n" + self.err).partition("\nweighbridge: ")
        return error

    def __str__(self):
        return f"exit code {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


class Case(unittest.TestCase):
    """A test with a folder and a mark of its own. Whatever it started is looked for at its end."""

    maxDiff = 2000

    def setUp(self):
        self.mark = f"{self._testMethodName}-{secrets.token_hex(8)}"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="weighbridge-test-"))
        self.runs = 0
        self.addCleanup(shutil.rmtree, self.folder)
        self.addCleanup(self._end_survivors)

    def _end_survivors(self):
        # A test that failed half way must not leave its processes to the next one.
        for process in processes_with(self.mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)

    # Starting things

    def environment(self, changes=None):
        """The test's own environment with its mark; None as a value takes a variable out."""
        # A calibration of the user's own must not show in a test, nor a test's in the user's runs.
        state = {"XDG_STATE_HOME": str(self.folder / "state")}
        merged = {**os.environ, **state, MARK: self.mark, **(changes or {})}
        return {name: value for name, value in merged.items() if value is not None}

    def file(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return str(path)

    def start(self, *words, env=None, **popen):
        """Starts any program under the test's mark; it is killed at the end if it still runs."""
        popen = {"stdin": subprocess.DEVNULL, "text": True, **popen}
        process = subprocess.Popen(words, env=self.environment(env), **popen)

        def end():
            if process.poll() is None:
                process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    stream.close()

        self.addCleanup(end)
        return process

    def start_server(self, *words, port, env=None):
        """A server of the test's own, under another mark, so that it may outlive a run. Returned when
        it accepts connections."""
        server = self.start(*words, env={MARK: "server-of-" + self.mark, **(env or {})},
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertTrue(wait_until(lambda: accepts(port)), f"nobody listens on {port}: {words}")
        return server

    def run_words(self, *flags, command=()):
        """`run` with a folder of its own for the results, unless -o is among the flags."""
        flags = [str(flag) for flag in flags]
        self.runs += 1
        folder = self.folder / f"results-{self.runs}"
        if "-o" in flags:
            folder = pathlib.Path(flags[flags.index("-o") + 1])
        else:
            flags += ["-o", str(folder)]
        tail = ["--", *map(str, command)] if command else []
        return ["run", *flags, *tail], folder

    def program(self, *words, folder=None, env=None, program=WEIGHBRIDGE, timeout=300, **options):
        """Any `weighbridge …` to its end, which must leave no process behind."""
        options = {"stdin": subprocess.DEVNULL, **options}
        done = subprocess.run([program, *map(str, words)], env=self.environment(env), timeout=timeout,
                              capture_output=True, text=True, errors="replace", check=False, **options)
        run = Run(done.returncode, done.stdout, done.stderr, folder or self.folder)
        self.assert_nothing_survives(run)
        return run

    def weigh(self, *flags, command=(), code=0, **options):
        """`weighbridge run FLAGS -- COMMAND` to its end; fails unless it ends with `code`."""
        words, folder = self.run_words(*flags, command=command)
        run = self.program(*words, folder=folder, **options)
        self.assertEqual(run.code, code, run)
        return run

    # Looking at what is left

    def assert_nothing_survives(self, context=""):
        wait_until(lambda: not processes_with(self.mark), seconds=20)
        survivors = processes_with(self.mark)
        self.assertFalse(survivors, "\n".join(map(str, ["these survived:", *survivors, context])))

    def assert_one_clear_error(self, run, *parts):
        """One error on standard error, which says all of `parts`."""
        self.assertEqual(("\n" + run.err).count("\nweighbridge: "), 1, run)
        for part in parts:
            self.assertIn(part, run.error, run)

    def assert_near(self, figure, truth, share, what):
        """Within a share of the truth, such as 0.05. Under a sanitiser, which slows and swells whatever it
        watches, five times as far: those builds are run for what they find in memory, not for figures."""
        self.assertIsNotNone(figure, what)
        share *= 5 if SANITIZED else 1
        off = abs(figure - truth) / truth
        self.assertLessEqual(off, share, f"{what}: {figure:.4g} is {off:.1%} off {truth:.4g}")


def main():
    if not os.access(WEIGHBRIDGE, os.X_OK):
        sys.exit(f"There is no {WEIGHBRIDGE}: build first, or set WEIGHBRIDGE_BUILD_DIR")
    unittest.main(verbosity=2)
