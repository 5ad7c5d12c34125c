"""A server with one fault.

    bad.py exits             says why on stderr and ends at once
    bad.py silent            takes everything and answers nothing
    bad.py garbage           answers every message with something else
    bad.py unknown-revision  speaks only a revision that never was
    bad.py no-tools          is sound, but has nothing to call
    bad.py dies              is sound until its tenth tools/call, then ends in the middle

With --http PORT over HTTP, else on stdio.
"""

import argparse
import os
import sys
import time

import mcp


class Silent(mcp.Server):
    def answer(self, line):
        time.sleep(3600)


class Garbage(mcp.Server):
    def answer(self, line):
        return "Warming up the frobnicator, please wait <html>"


class UnknownRevision(mcp.Server):
    def result_of(self, method, params):
        if method == "server/discover":
            return {"resultType": "complete", "supportedVersions": [self.revision], "capabilities": {}}
        return super().result_of(method, params)


class Dies(mcp.Server):
    calls = 0

    def call(self, name, arguments):
        self.calls += 1
        if self.calls == 10:
            print("fatal: the tenth call was one too many", file=sys.stderr, flush=True)
            os._exit(7)
        return super().call(name, arguments)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fault")
    parser.add_argument("--http", type=int, metavar="PORT")
    words = parser.parse_args()
    if words.fault == "exits":
        for number in range(1, 31):
            print(f"line {number} of the complaint", file=sys.stderr)
        sys.exit("configuration file lorry.yaml not found")
    server = {
        "silent": Silent,
        "garbage": Garbage,
        "unknown-revision": lambda: UnknownRevision(revision="1999-12-31"),
        "no-tools": lambda: mcp.Server(tools=[]),
        "dies": Dies,
    }[words.fault]()
    if words.http:
        mcp.serve_http(server, words.http)
    else:
        mcp.serve_stdio(server)


if __name__ == "__main__":
    main()
