"""HTTP(S) servers and a proxy within the test's own process, which remember what they were asked."""

import contextlib
import http.client
import http.server
import select
import socket
import ssl
import threading

import mcp


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Clients that refuse a certificate hang up in the middle of things."""


class _Listening:
    """A server on a free port of the loopback address until the block ends."""

    def __init__(self, handler, tls=None):
        self.seen = []
        handler = type("Handler", (handler,), {"site": self})
        self._server = _Server(("127.0.0.1", 0), handler)
        self.port = self._server.server_address[1]
        if tls:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True,
                                                  do_handshake_on_connect=False)

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def reply(self, status, text="", headers=()):
        body = text.encode()
        self.send_response(status)
        if body:
            self.send_header("Content-Type", "application/json")
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Site(_Listening):
    """An MCP server. `certificate`: its PEM file, for https. `redirect`: (status, location) for every
    request instead of an answer."""

    def __init__(self, certificate=None, redirect=None):
        server = mcp.Server()

        class Handler(_Handler):
            def do_POST(self):
                body = self.body()
                self.site.seen.append((self.path, self.headers))
                if redirect:
                    return self.reply(redirect[0], headers=[("Location", redirect[1])])
                answer = server.answer(body)
                return self.reply(202 if answer is None else 200, answer or "")

            def do_GET(self):
                self.reply(405)

            do_DELETE = do_GET

        tls = None
        if certificate:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(certificate)
        super().__init__(Handler, tls)
        self.authority = f"127.0.0.1:{self.port}"
        self.url = f"{'https' if tls else 'http'}://{self.authority}/mcp"


def _pump(one, other):
    """Bytes both ways until either side ends."""
    with contextlib.suppress(OSError):
        while True:
            for source in select.select([one, other], [], [], 30)[0]:
                piece = source.recv(65536)
                if not piece:
                    return
                (other if source is one else one).sendall(piece)


class Proxy(_Listening):
    """Forwards plain HTTP and opens tunnels; with `refuses` it answers 403 to everything."""

    def __init__(self, refuses=False):
        class Handler(_Handler):
            def do_CONNECT(self):
                self.site.seen.append(self.requestline)
                if refuses:
                    return self.reply(403)
                host, port = self.path.rsplit(":", 1)
                with socket.create_connection((host, int(port))) as peer:
                    self.wfile.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                    _pump(self.connection, peer)
                self.close_connection = True
                return None

            def do_POST(self):
                self.site.seen.append(self.requestline)
                authority, path = self.path.removeprefix("http://").split("/", 1)
                far = http.client.HTTPConnection(authority)
                far.request("POST", "/" + path, self.body(), dict(self.headers))
                answer = far.getresponse()
                self.reply(answer.status, answer.read().decode())
                far.close()

        super().__init__(Handler)
        self.url = f"http://127.0.0.1:{self.port}"
