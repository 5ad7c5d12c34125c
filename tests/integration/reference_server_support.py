"""Ways to speak to the reference server that share nothing with the project's own client."""

import http.client
import http.server
import json
import os
import queue
import socket
import ssl
import threading
import time

import harness

STATELESS = "2026-07-28"
HANDSHAKES = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
SERVER_INFO = "io.modelcontextprotocol/serverInfo"


def request(identifier, method, params=None):
    message = {"jsonrpc": "2.0", "id": identifier, "method": method}
    if params is not None:
        message["params"] = params
    return message


def stateless_request(identifier, method, params=None, version=STATELESS):
    meta = {"io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {}}
    return request(identifier, method, {**(params or {}), "_meta": meta})


def initialize(version, identifier=0):
    return request(identifier, "initialize", {"protocolVersion": version, "capabilities": {},
                                              "clientInfo": {"name": "test", "version": "1"}})


class Gitlab:
    """A GitLab of a few answers that remembers what it was asked."""

    def __init__(self, certificate=None):
        """certificate: a PEM file with its key; absent: http."""
        self.requests = []
        self.delay = 0
        self.answers = {"/api/v4/version": (200, {"version": "17.0.0", "revision": "abc"})}
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                owner.requests.append((self.command, self.path, dict(self.headers), body))
                time.sleep(owner.delay)
                status, value = owner.answers.get(self.path.split("?")[0],
                                                  (404, {"message": "404 Not Found"}))
                data = value if isinstance(value, bytes) else json.dumps(value, indent=2).encode()
                self.send_response(status)
                kind = "application/octet-stream" if isinstance(value, bytes) else "application/json"
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.send_header("X-Page", "1")
                self.send_header("X-Total", "1")
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                pass  # a caller that hung up is what some tests want

        self.server = Server(("127.0.0.1", 0), Handler)
        if certificate:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(certificate)
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True,
                                                 do_handshake_on_connect=False)
        scheme = "https" if certificate else "http"
        self.url = f"{scheme}://127.0.0.1:{self.server.server_address[1]}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        self.thread.start()

    def stop(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class ReferenceCase(harness.Case):
    def environment(self, changes=None):
        # What the tester's own shell says about GitLab must not decide what is tested.
        clean = {name: None for name in os.environ if name.startswith(("GITLAB_", "OTEL_"))}
        return super().environment({**clean, **(changes or {})})

    def gitlab(self, certificate=None):
        gitlab = Gitlab(certificate)
        self.addCleanup(gitlab.stop)
        return gitlab


class Stdio:
    """The server as a child, spoken to line by line."""

    def __init__(self, case, *words, env=None, kind="socketpair", program=(harness.REFERENCE_SERVER,)):
        if kind == "socketpair":
            ours, theirs = socket.socketpair()
            self.process = case.start(*program, *words, env=env, stdin=theirs, stdout=theirs,
                                      stderr=-1)
            theirs.close()
            self.end_input = lambda: ours.shutdown(socket.SHUT_WR)
            self.write = lambda text: ours.sendall(text.encode())
            self.stream = ours.makefile("r", encoding="utf-8", newline="\n")
            case.addCleanup(ours.close)
        else:
            self.process = case.start(*program, *words, env=env, stdin=-1, stdout=-1, stderr=-1)
            self.end_input = self.process.stdin.close
            self.write = lambda text: (self.process.stdin.write(text), self.process.stdin.flush())
            self.stream = self.process.stdout
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.stream:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def send(self, message):
        self.write((message if isinstance(message, str) else json.dumps(message)) + "\n")

    def receive(self, seconds=harness.PATIENCE):
        return self.lines.get(timeout=seconds)

    def ask(self, message):
        self.send(message)
        return self.receive()

    def end(self):
        """Closes its input; its exit code."""
        self.end_input()
        return self.process.wait(harness.PATIENCE)


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def event(self):
        """The one message of a stream of events."""
        lines = self.body.decode().split("\n")
        assert lines[0] == "event: message" and lines[2:] == ["", ""], lines
        return json.loads(lines[1].removeprefix("data: "))


class Begun:
    """A request that has been sent."""

    def __init__(self, connection):
        self.connection = connection

    def first_byte_at(self):
        self.connection.sock.recv(1, socket.MSG_PEEK)
        return time.monotonic()

    def answer(self):
        body = self.connection.getresponse().read()
        self.connection.close()
        return body

    def close(self):
        self.connection.close()


class Http:
    """The server over HTTP, spoken to with requests made by hand."""

    def __init__(self, case, *words, env=None):
        self.port = harness.free_port()
        self.process = case.start(harness.REFERENCE_SERVER, f"--http=127.0.0.1:{self.port}", *words, env=env,
                                  stdout=-1, stderr=-1)
        case.assertTrue(harness.wait_until(lambda: harness.accepts(self.port)), "it does not listen")
        self.token = None

    def send(self, method, path, body=None, headers=None, host=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=harness.PATIENCE)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", host or f"127.0.0.1:{self.port}")
        if self.token:
            connection.putheader("PRIVATE-TOKEN", self.token)
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        reply = Reply(answer.status, answer.headers, answer.read())
        connection.close()
        return reply

    def post(self, message, headers=None, **options):
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        merged = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                  **(headers or {})}
        return self.send("POST", "/mcp", body, {k: v for k, v in merged.items() if v is not None}, **options)

    def post_stateless(self, method, params=None, headers=None, identifier=1):
        name = (params or {}).get("name") or (params or {}).get("uri")
        merged = {"MCP-Protocol-Version": STATELESS, "Mcp-Method": method,
                  **({"Mcp-Name": name} if name else {}), **(headers or {})}
        return self.post(stateless_request(identifier, method, params), merged)

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=harness.PATIENCE)

    def begin(self, method, params=None):
        """Sends a request without waiting for its answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=harness.PATIENCE)
        name = (params or {}).get("name")
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                   "MCP-Protocol-Version": STATELESS, "Mcp-Method": method, **({"Mcp-Name": name} if name else {}),
                   **({"PRIVATE-TOKEN": self.token} if self.token else {})}
        connection.request("POST", "/mcp", json.dumps(stateless_request(1, method, params)), headers)
        return Begun(connection)

    def call(self, tool, arguments=None):
        return self.post_stateless("tools/call", {"name": tool, "arguments": arguments or {}}).json["result"]
