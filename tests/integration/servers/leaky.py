"""A server that repeats every secret it is given: on stderr, in its name, and in what its tools answer.

    leaky.py [fails|exits] [--http PORT]

With `fails` every call is an error that quotes what was sent; with `exits` it ends as soon as it was asked.
"""

import argparse
import http.server
import json
import os
import sys

import mcp


class Leaky(mcp.Server):
    def __init__(self, fault):
        super().__init__()
        self.fault = fault
        self.headers = {}

    def secrets(self):
        given = {name: value for name, value in os.environ.items() if name.startswith("LEAKY_")}
        return json.dumps({**given, **self.headers})

    def answer(self, line):
        print("stderr repeats", self.secrets(), file=sys.stderr, flush=True)
        if self.fault == "exits":
            os._exit(9)
        return super().answer(line)

    def call(self, name, arguments):
        return "the answer repeats " + self.secrets(), self.fault == "fails"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fault", nargs="?", default="")
    parser.add_argument("--http", type=int, metavar="PORT")
    words = parser.parse_args()
    server = Leaky(words.fault)
    if not words.http:
        mcp.serve_stdio(server)
        return
    read_headers = http.server.BaseHTTPRequestHandler.parse_request

    def parse_request(handler):
        read = read_headers(handler)
        if read:
            server.headers = dict(handler.headers)
        return read

    http.server.BaseHTTPRequestHandler.parse_request = parse_request
    mcp.serve_http(server, words.http)


if __name__ == "__main__":
    main()
