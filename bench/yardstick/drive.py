"""Starting servers and tools, and weighing a tool from outside: by wait4 and by the server's count."""

import contextlib
import dataclasses
import json
import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

from . import host

CONNECTIONS = 64
PEERS = host.ROOT / "bench" / "peers" / "node_modules"
ARGUMENTS = '{"message":"hello"}'
CALL = ('{"jsonrpc":"2.0","id":100000000,"method":"tools/call","params":{"name":"echo","arguments":'
        + ARGUMENTS + "}}")


class Trouble(Exception):
    """A tool or server did not do what was asked of it."""


@dataclasses.dataclass
class Run:
    """One run of a tool. `cpu` is its processor time with that of its reaped children, `own_cpu` without."""

    cpu: float
    own_cpu: float
    wall: float
    quiet: bool
    out: str
    record: dict | None = None
    calls: int = 0  #: counted by the server


@contextlib.contextmanager
def ended(process):
    try:
        yield process
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGCONT)
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class Server:
    """A null server over HTTP."""

    def __init__(self, process, url):
        self.pid = process.pid
        self.url = url

    def calls(self):
        with urllib.request.urlopen(self.url.replace("/mcp", "/calls"), timeout=10) as answer:
            return int(answer.read())


@dataclasses.dataclass
class Bench:
    """What every experiment is given."""

    build: pathlib.Path
    server_core: int
    driver_core: int
    tools: list[str]
    quick: bool
    folder: pathlib.Path

    @property
    def rounds(self):
        return 3 if self.quick else 10

    @property
    def seconds(self):
        """Of one run; wrk knows whole seconds only."""
        return 1 if self.quick else 2

    @contextlib.contextmanager
    def server(self, *flags):
        words = ["taskset", "-c", str(self.server_core), str(self.null_server()), *flags]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True)
        with ended(process), process.stdout:
            line = process.stdout.readline()
            if not line.startswith("listening on "):
                raise Trouble("the null server does not start")
            yield Server(process, f"http://{line.split()[-1]}/mcp")

    def null_server(self):
        return self.build / "bench" / "null-server"

    def run(self, words, *, pin=True, server=None, watch=None, patience=120):
        """Runs a tool to its end. `watch(pid)` is called every few milliseconds while it goes."""
        cores = (self.server_core, self.driver_core)
        before = host.probe(cores)
        calls = server.calls() if server else 0
        others = host.busy_seconds() - (host.cpu_seconds_of(server.pid) if server else 0)
        begin = time.monotonic()
        words = [*(["taskset", "-c", str(self.driver_core)] if pin else []), *map(str, words)]
        with tempfile.TemporaryFile("w+", dir=self.folder) as out:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                       start_new_session=True)
            with ended(process):
                own, usage = wait(process, watch, patience)
            wall = time.monotonic() - begin
            out.seek(0)
            text = out.read()
        if process.returncode != 0:
            raise Trouble(f"{words[0 if not pin else 3]} ended with {process.returncode}: {text[-2000:]}")
        cpu = usage.ru_utime + usage.ru_stime
        others = host.busy_seconds() - (host.cpu_seconds_of(server.pid) if server else 0) - others - cpu
        quiet = before.quiet and host.probe(cores).quiet
        quiet = quiet and others / wall / os.cpu_count() < host.MOST_OTHERS
        return Run(cpu, own, wall, quiet, text, calls=server.calls() - calls if server else 0)

    def load(self, *flags, command=(), server=None, **options):
        """`weighbridge load` with its record. Every call must have been served, and the server must have
        seen each."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        words = [self.build / "weighbridge", "load", "--tool", "echo", "--arguments", ARGUMENTS, "--no-report",
                 "-o", folder, *flags]
        if server:
            words += ["--url", server.url]
        run = self.run([*words, *(["--", *command] if command else [])], server=server, **options)
        run.record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
        shutil.rmtree(folder)
        step = run.record["steps"][0]
        if step["served"] != step["sent"]:
            raise Trouble(f"only {step['served']} of {step['sent']} calls were served: {step['troubles']}")
        if server and run.calls < step["sent"]:
            raise Trouble(f"{step['sent']} calls in the record, {run.calls} at the server")
        return run


def wait(process, watch, patience):
    """(own processor time, usage as wait4 has it) of a process, once it has ended."""
    deadline = time.monotonic() + patience
    ended_fd = os.pidfd_open(process.pid)
    try:
        # A watcher looks closely; without one the cores are left in peace.
        while not select.select([ended_fd], [], [], 0.002 if watch else patience)[0]:
            if time.monotonic() > deadline:
                raise Trouble(f"{process.args} did not end within {patience} s")
            if watch:
                watch(process.pid)
    finally:
        os.close(ended_fd)
    own = host.cpu_seconds_of(process.pid)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return own, usage


# The tools: each makes `seconds` of closed loop at 64 connections, or as few calls as it can.


def ours(bench, server, seconds):
    flags = ["--parallel", CONNECTIONS]
    flags += ["--duration", f"{seconds}s"] if seconds else ["--requests", CONNECTIONS]
    return bench.load(*flags, server=server)


def wrk(bench, server, seconds):
    script = bench.folder / "call.lua"
    script.write_text(f"""wrk.method = "POST"
wrk.body = '{CALL}'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept"] = "application/json, text/event-stream"
""", encoding="utf-8")
    words = ["wrk", "-t", 1, "-c", CONNECTIONS, "-d", f"{seconds or 1}s", "--latency", "-s", script]
    if seconds:
        return bench.run([*words, server.url], server=server)
    # It knows no number of calls. What it costs without any shows a listener that never answers.
    with socket.create_server(("127.0.0.1", 0), backlog=2 * CONNECTIONS) as mute:
        return bench.run([*words, f"http://127.0.0.1:{mute.getsockname()[1]}/mcp"])


def autocannon(bench, server, seconds):
    size = ["-c", CONNECTIONS, "-d", seconds] if seconds else ["-c", 1, "-a", 1]
    return bench.run([node(), PEERS / ".bin" / "autocannon", *size, "-m", "POST", "-H",
                      "content-type=application/json", "-H", "accept=application/json, text/event-stream", "-b", CALL,
                      "--json", server.url], server=server)


def mcp_stress(bench, server, seconds):
    size = ["-c", CONNECTIONS, "-d", seconds] if seconds else ["-c", 1, "-d", 0]
    return bench.run([stress_program(), "run", *size, "--tool", "echo", "--url", server.url, "--json"], server=server)


def inspector(bench, server, seconds):
    size = ["--load-duration", seconds] if seconds else ["--load-requests", 1]
    return bench.run([node(), PEERS / ".bin" / "inspector", "--cli", "--server-url", server.url, "--transport", "http",
                      "--method", "tools/call", "--tool-name", "echo", "--tool-arg", "message=hello", "--load",
                      "--load-concurrency", CONNECTIONS, *size, "--format", "json"], server=server)


TOOLS = {"wrk": wrk, "autocannon": autocannon, "mcp-stress": mcp_stress, "inspector": inspector}


def node():
    """Node 22 from npm: the Inspector refuses Debian's."""
    return next(iter(PEERS.glob("node-linux-*/bin/node")), pathlib.Path("node"))


def stress_program():
    return PEERS / "@mcp-stress" / "linux-x64" / "bin" / "mcp-stress"


def version_of(tool):
    """None where the tool is not installed."""
    if tool == "wrk":
        if not shutil.which("wrk"):
            return None
        text = subprocess.run(["wrk", "--version"], capture_output=True, text=True, check=False).stdout
        return text.split()[1].removeprefix("debian/")
    package = {"autocannon": "autocannon", "mcp-stress": "@mcp-stress/linux-x64",
               "inspector": "@modelcontextprotocol/inspector"}[tool]
    try:
        return json.loads((PEERS / package / "package.json").read_text(encoding="utf-8"))["version"]
    except FileNotFoundError:
        return None


def last_json(text):
    """Of a tool that prints progress before its summary."""
    return json.loads(text[text.index("\n{") + 1:])
