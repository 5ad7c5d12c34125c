"""A small MCP server on Python's standard library, to build odd ones from.

It shares nothing with the program under test, so that one mistake cannot hide at both ends. It speaks
the revisions with a handshake; the modern question server/discover is an unknown method to it.
"""

import http.server
import json
import sys

REVISION = "2025-11-25"

NULL_TOOL = {
    "name": "null",
    "description": "Does nothing.",
    "inputSchema": {"type": "object", "properties": {}},
    "annotations": {"readOnlyHint": True},
}


class Server:
    """Answers messages; override a method or replace a member to make it odd."""

    def __init__(self, revision=REVISION, tools=(NULL_TOOL,)):
        self.revision = revision
        self.tools = list(tools)

    def call(self, name, arguments):
        """The text that a tool answers with, and whether it is an error."""
        return f"{name} called with {json.dumps(arguments)}", False

    def result_of(self, method, params):
        """The result of a request; KeyError for a method that is not known."""
        if method == "tools/call":
            text, is_error = self.call(params["name"], params.get("arguments", {}))
            return {"content": [{"type": "text", "text": text}], "isError": is_error}
        return {
            "initialize": {
                "protocolVersion": self.revision,
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "odd-server", "version": "1.0.0"},
            },
            "ping": {},
            "tools/list": {"tools": self.tools},
        }[method]

    def answer(self, line):
        """The line to answer a line with; None where there is nothing to say."""
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            return None
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            reply["result"] = self.result_of(message["method"], message.get("params", {}))
        except KeyError:
            reply["error"] = {"code": -32601, "message": "Method not found"}
        return json.dumps(reply)


def serve_stdio(server):
    """Until the input ends."""
    for line in sys.stdin:
        answer = server.answer(line)
        if answer is not None:
            print(answer, flush=True)


def serve_http(server, port):
    """For ever, on loopback; every answer is one JSON body."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            answer = server.answer(self.rfile.read(int(self.headers["Content-Length"])))
            self.reply(202 if answer is None else 200, answer or "")

        def do_GET(self):
            self.reply(405, "")

        do_DELETE = do_GET

        def reply(self, status, text):
            body = text.encode()
            self.send_response(status)
            if body:
                self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
