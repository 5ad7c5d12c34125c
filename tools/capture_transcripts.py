#!/usr/bin/env python3
"""Captures what real MCP servers say on the wire, as fixtures for tests/unit.

The fixtures must not come from our own reference server: it shares `protocol` with the driver, and
one bug must not hide at both ends. The servers are the official packages (and one of both eras), and the
four-tool server on every official SDK that is there:

    for plan in everything filesystem context7; do tools/setup/npm_ci.sh plans/servers/$plan; done
    tools/setup/sdk_servers.sh
    tools/capture_transcripts.py --out tests/fixtures/wire [--only NAME…]

One file per server, transport and revision, one JSON object per line:
  stdio  {"sent": TEXT} or {"received": TEXT}: one line of the channel without its newline
  HTTP   {"request": {method, path, headers, body}, "response": {status, headers, body}}: the body as
         it was framed inside HTTP, server-sent events included; names of headers in lower case
Servers are bound to 127.0.0.1 and ended with their process group. Standard library only.
"""

import argparse
import base64
import contextlib
import http.client
import json
import os
import pathlib
import queue
import signal
import socket
import subprocess
import tempfile
import threading
import time

CLIENT = {"name": "weighbridge", "version": "0.1.0"}
STATELESS = "2026-07-28"
HANDSHAKE = "2025-11-25"

PLANS = pathlib.Path(__file__).resolve().parent.parent / "plans" / "servers"
# Some of these servers bind every interface; a test must not.
LOOPBACK_PRELOAD = PLANS / "loopback.cjs"


def message(number, method, params, revision):
    if revision == STATELESS:
        params = dict(params)
        params["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientInfo": CLIENT,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    body = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(body, separators=(",", ":"))


def initialize(number, revision):
    params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": CLIENT}
    return message(number, "initialize", params, None)


def notification(method):
    return json.dumps({"jsonrpc": "2.0", "method": method}, separators=(",", ":"))


def conversation(revision, calls):
    """The messages of one transcript, in order; the server is asked to discover first."""
    texts = [message(1, "server/discover", {}, STATELESS)]
    if revision != STATELESS:
        texts += [initialize(2, revision), notification("notifications/initialized")]
        texts += [message(3, "ping", {}, revision)]
    requests = [(f"{kind}/list", {}) for kind in ("tools", "resources", "prompts")]
    requests += [("tools/call", call) for call in calls] + [("no/such_method", {})]
    for number, (method, params) in enumerate(requests, start=4):
        texts.append(message(number, method, params, revision))
    return texts


class StdioServer:
    def __init__(self, command, environment):
        self.child = subprocess.Popen(
            command, env=environment, start_new_session=True, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.child.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def exchange(self, text):
        """Sends one message; every line up to its answer (or half a second of quiet) comes back."""
        self.child.stdin.write(text + "\n")
        self.child.stdin.flush()
        wanted = json.loads(text).get("id")
        received = []
        while True:
            try:
                line = self.lines.get(timeout=10 if wanted is not None else 0.5)
            except queue.Empty:
                return received
            if line is None:
                return received
            received.append(line)
            with contextlib.suppress(ValueError, AttributeError):
                if wanted is not None and json.loads(line).get("id") == wanted:
                    return received

    def close(self):
        self.child.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.child.wait(timeout=3)
        end(self.child)


def end(child):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def capture_stdio(command, environment, revision, calls):
    server = StdioServer(command, environment)
    steps = []
    try:
        for text in conversation(revision, calls):
            if json.loads(text)["method"] == "initialize":
                # Go and Python take no handshake in a process that has answered server/discover.
                server.close()
                server = StdioServer(command, environment)
            steps.append({"sent": text})
            steps += [{"received": line} for line in server.exchange(text)]
    finally:
        server.close()
    return steps


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
            return
        time.sleep(0.05)
    raise SystemExit(f"no server on port {port}")


def header_value(text):
    """Mcp-Name as the revision wants it: plain when safe, else in the base64 form."""
    if text.isascii() and text.isprintable() and text == text.strip():
        return text
    return "=?base64?" + base64.b64encode(text.encode()).decode() + "?="


def headers_for(text, revision, session):
    body = json.loads(text)
    headers = {"Content-Type": "application/json",
               "Accept": "application/json, text/event-stream"}
    if "_meta" in body.get("params", {}):
        headers["MCP-Protocol-Version"] = STATELESS
        headers["Mcp-Method"] = body["method"]
        if body["method"] == "tools/call":
            headers["Mcp-Name"] = header_value(body["params"]["name"])
    elif body["method"] != "initialize":
        headers["MCP-Protocol-Version"] = revision
    if session:
        headers["Mcp-Session-Id"] = session
    return headers


def exchange_http(port, path, method, headers, body):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, body.encode() if body else None, headers)
    response = connection.getresponse()
    raw = response.read().decode()
    connection.close()
    return {"request": {"method": method, "path": path, "headers": headers, "body": body},
            "response": {"status": response.status,
                         "headers": {name.lower(): value for name, value in response.getheaders()},
                         "body": raw}}


def capture_http(command, environment, port, path, revision, calls):
    child = subprocess.Popen(command, env=environment, start_new_session=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    steps = []
    session = None
    try:
        wait_for(port)
        for text in conversation(revision, calls):
            headers = headers_for(text, revision, session)
            steps.append(exchange_http(port, path, "POST", headers, text))
            session = session or steps[-1]["response"]["headers"].get("mcp-session-id")
        if revision != STATELESS:
            headers = {"MCP-Protocol-Version": revision}
            if session:
                headers["Mcp-Session-Id"] = session
            steps.append(exchange_http(port, path, "DELETE", headers, ""))
            text = message(90, "tools/list", {}, revision)  # to a session that has ended
            headers = headers_for(text, revision, session)
            steps.append(exchange_http(port, path, "POST", headers, text))
    finally:
        end(child)
    return steps


def call(tool, **arguments):
    return {"name": tool, "arguments": arguments}


def packages():
    """name, command, arguments per transport ({port} is replaced), calls, revisions"""
    def script(plan, path):
        return ["node", str(PLANS / plan / "node_modules" / path)]
    yield ("everything", script("everything", "@modelcontextprotocol/server-everything/dist/index.js"),
           {"stdio": ["stdio"], "http": ["streamableHttp"]},
           [call("echo", message="weigh \"this\" é"), call("get-sum", a="x", b=2),
            call("no-such-tool")], [HANDSHAKE])
    yield ("filesystem", script("filesystem", "@modelcontextprotocol/server-filesystem/dist/index.js"),
           {"stdio": ["/srv"]}, [call("list_allowed_directories"),
                                 call("list_directory", path="/outside")], [HANDSHAKE])
    yield ("context7", script("context7", "@upstash/context7-mcp/dist/index.js"),
           {"stdio": ["--transport", "stdio"], "http": ["--transport", "http", "--port", "{port}"]},
           [call("no-such-tool")], [HANDSHAKE, STATELESS])


def sdks():
    """The same for the SDKs that are built."""
    folder = PLANS / "sdk"
    calls = [call("echo", message="weigh \"this\" é"), call("list", n=3), call("add", a="x", b=2),
             call("no-such-tool")]
    both = {"stdio": ["stdio"], "http": ["http", "{port}"]}
    stateless = {**both, "http": ["http", "{port}", "stateless"]}
    java = folder / "java" / "target"
    for name, needs, command, transports, revisions in [
            ("typescript-v1", "typescript-v1/node_modules", ["node", folder / "typescript-v1/server.mjs"], both,
             [HANDSHAKE]),
            ("typescript-v2", "typescript-v2/node_modules", ["node", folder / "typescript-v2/server.mjs"], both,
             [HANDSHAKE, STATELESS]),
            ("python", "python/.venv", [folder / "python/.venv/bin/python", folder / "python/server.py"], both,
             [HANDSHAKE, STATELESS]),
            ("go", "go/build/server", [folder / "go/build/server"], both, [HANDSHAKE]),
            ("go", "go/build/server", [folder / "go/build/server"], stateless, [STATELESS]),
            ("rust", "rust/target", [folder / "rust/target/release/sdk-server-rust"], both, [HANDSHAKE, STATELESS]),
            ("java", "java/target", ["java", "-cp", f"{java}/classes:{java}/lib/*", "Server"], both, [HANDSHAKE])]:
        if (folder / needs).exists():
            yield f"sdk-{name}", [str(word) for word in command], transports, calls, revisions
        else:
            print(f"sdk-{name}: not built, left as it is")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="only these servers")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name, server, transports, calls, revisions in [*packages(), *sdks()]:
            if options.only and name not in options.only:
                continue
            for transport, arguments in transports.items():
                for revision in revisions:
                    port = free_port()
                    command = [*server, *(word.format(port=port) for word in arguments)]
                    environment = {"PATH": os.environ["PATH"], "HOME": scratch, "PORT": str(port),
                                   "NODE_OPTIONS": f"--require {LOOPBACK_PRELOAD}"}
                    if transport == "stdio":
                        steps = capture_stdio(command, environment, revision, calls)
                    else:
                        steps = capture_http(command, environment, port, "/mcp", revision, calls)
                    target = options.out / f"{name}-{transport}-{revision}.jsonl"
                    target.write_text("".join(
                        json.dumps(step, ensure_ascii=False) + "\n" for step in steps))
                    print(f"{target.name}: {len(steps)} steps")


if __name__ == "__main__":
    main()
