#!/usr/bin/env python3
"""Every revision over every transport, against servers that are not ours: what is asked for is what the record
says was spoken, and a revision that a server does not have is an error that names those it has."""

import shutil
import sys
import unittest

import harness

PLANS = harness.ROOT / "plans" / "servers"
EVERYTHING = PLANS / "everything" / "node_modules" / "@modelcontextprotocol" / "server-everything" / "dist" / "index.js"
CONTEXT7 = PLANS / "context7" / "node_modules" / ".bin" / "context7-mcp"
LOOPBACK = PLANS / "loopback.cjs"

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = "2026-07-28"
SMALL = ("--clients", "1", "--rounds", "1", "--repeat", "1", "--no-report")


@unittest.skipUnless(shutil.which("node"), "needs Node.js")
class RevisionsTest(harness.Case):
    def installed(self, path):
        if not path.exists():
            self.skipTest("the packages are not installed: tools/setup/npm_ci.sh plans/servers/*/")
        return path

    def check(self, revision, transport, *flags, command):
        """One small run; returns how the revision was found."""
        run = self.weigh(*SMALL, "--protocol", revision, *flags, command=command)
        (server,) = run.record["servers"]
        self.assertEqual(server["transport"], transport)
        if revision != "auto":
            self.assertEqual(server["revision"], revision)
        listing = harness.methods_of(run.repeat)["tools/list"]
        self.assertEqual(listing["served"]["count"], listing["sent"], listing)
        print(f"{server['name']} {transport} {revision}: {server['revision']}, {listing['media']}", file=sys.stderr)
        return server

    def everything(self, mode):
        script = self.installed(EVERYTHING)
        return ["node", "--require", LOOPBACK, script, mode]

    def context7(self, *words):
        return ["node", self.installed(CONTEXT7), *words]

    def test_every_handshake_revision_on_stdio(self):
        for revision in HANDSHAKE:
            self.check(revision, "stdio", command=self.everything("stdio"))

    def test_every_handshake_revision_over_streamable_http(self):
        for revision in HANDSHAKE:
            self.check(revision, "http", "--url", "http://127.0.0.1:{port}/mcp", "--env", "PORT={port}",
                       command=self.everything("streamableHttp"))

    def test_every_handshake_revision_over_http_sse(self):
        for revision in (*HANDSHAKE, "auto"):
            server = self.check(revision, "http+sse", "--url", "http://127.0.0.1:{port}/sse", "--env", "PORT={port}",
                                command=self.everything("sse"))
            self.assertIn("initialize over HTTP+SSE", server["era_evidence"])

    def test_both_eras_of_one_server(self):
        for revision in ("2025-11-25", STATELESS, "auto"):
            for transport, flags, words in (
                    ("stdio", (), ()),
                    ("http", ("--url", "http://127.0.0.1:{port}/mcp"), ("--transport", "http", "--port", "{port}"))):
                server = self.check(revision, transport, *flags, command=self.context7(*words))
                self.assertEqual(server["tools"], 2)
                if revision == "auto":
                    self.assertEqual(server["revision"], STATELESS)

    def test_a_revision_that_a_server_does_not_have_is_refused_with_what_it_has(self):
        run = self.weigh(*SMALL, "--protocol", STATELESS, command=self.everything("stdio"), code=3)
        self.assert_one_clear_error(run, STATELESS, "server/discover", "-32601")


if __name__ == "__main__":
    harness.main()
