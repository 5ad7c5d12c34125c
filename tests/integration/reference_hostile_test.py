#!/usr/bin/env python3
"""The reference server under callers that break every rule, and before an instance that does: one clear answer
each, no crash, no queue without end."""

import argparse
import json
import resource
import socket
import sys
import threading
import time
import unittest

import harness
from reference_server_support import Http, ReferenceCase, Stdio, request

HEAD = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


class HostileCase(ReferenceCase):
    def exchange(self, server, data):
        """What comes back for raw bytes, until the server hangs up or is silent."""
        with server.connect() as peer:
            peer.settimeout(5)
            received = b""
            try:
                peer.sendall(data)
                while piece := peer.recv(65536):
                    received += piece
            except (ConnectionError, TimeoutError):
                pass
        return received

    def assert_still_serves(self, server):
        self.assertEqual(server.call("null")["content"], [])
        self.assertIsNone(server.process.poll())


class CallerTest(HostileCase):
    def test_heads_that_are_too_large_or_no_heads_are_refused(self):
        server = Http(self)
        huge = f"{HEAD}X-Large: {'x' * (1 << 20)}\r\n\r\n".encode()
        many = (HEAD + "".join(f"X-{n}: y\r\n" for n in range(20_000)) + "\r\n").encode()
        for data in (huge, many):
            self.assertTrue(self.exchange(server, data).startswith(b"HTTP/1.1 431") or
                            not self.exchange(server, data), "reset before the answer could be read")
        for data in (b"\x16\x03\x01\x02\x00\x01\x00", b"GET\r\n\r\n", b"POST /mcp HTTP/9.9\r\n\r\n",
                     b"\0" * 4096, HEAD.encode() + b"Content-Length: -1\r\n\r\n",
                     HEAD.encode() + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
                     HEAD.encode() + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n"):
            self.assertTrue(self.exchange(server, data).startswith(b"HTTP/1.1 400"), data[:80])
        self.assert_still_serves(server)

    def test_messages_that_are_none_are_refused_one_by_one(self):
        bodies = [b"", b"{", b"[", b"null", b"7", b'"x"', b"\xff\xfe", b'{"jsonrpc":"2.0"}', b"[[[[[[[[",
                  b'{"jsonrpc":"1.0","id":1,"method":"ping"}', b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
                  b'{"jsonrpc":"2.0","id":1,"method":5}', b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
                  b"[" * 100_000, b'{"a":' * 50_000, b'{"jsonrpc":"2.0","id":1,"method":"' + b"m" * 1_000_000 + b'"}',
                  b'{"jsonrpc":"2.0","id":"' + b"i" * 1_000_000 + b'","method":"ping"}',
                  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\\ud800"}}'.encode()]
        server = Http(self)
        for body in bodies:
            reply = server.post(body)
            self.assertIn(reply.status, (200, 400), body[:60])
            if body[:2] != b"[[":
                self.assertIn("jsonrpc", reply.json, body[:60])
        self.assert_still_serves(server)
        stdio = Stdio(self)
        for body in bodies:
            if body and b"\xff" not in body:
                self.assertEqual(stdio.ask(body.decode())["jsonrpc"], "2.0", body[:60])
        self.assertEqual(stdio.end(), 0)

    def test_a_slow_writer_holds_up_nobody(self):
        server = Http(self)
        body = json.dumps(request(1, "ping"))
        whole = f"{HEAD}Content-Length: {len(body)}\r\n\r\n{body}".encode()
        with server.connect() as peer:
            for at, byte in enumerate(whole):
                peer.sendall(bytes([byte]))
                if at % 40 == 0:
                    self.assert_still_serves(server)
            self.assertTrue(peer.recv(65536).startswith(b"HTTP/1.1 200"))

    def test_a_slow_reader_costs_one_listing_and_holds_up_nobody(self):
        server = Http(self, "--surface=individual")
        server.post_stateless("tools/list")
        before = harness.status_kib(server.process.pid, "VmRSS")
        body = json.dumps(request(1, "tools/list"))
        one = f"{HEAD}Content-Length: {len(body)}\r\n\r\n{body}".encode()
        peers = [server.connect() for _ in range(50)]
        for peer in peers:
            peer.sendall(one * 20)
        self.assert_still_serves(server)
        self.assertLess(harness.status_kib(server.process.pid, "VmRSS") - before, 20 * 1024,
                        "a listing is shared, and answers wait for their reader")
        peers[0].settimeout(harness.PATIENCE)
        received = 0
        while received < 20 * 3_000_000:
            piece = peers[0].recv(1 << 20)
            self.assertTrue(piece, "the slow reader was cut off")
            received += len(piece)
        for peer in peers:
            peer.close()
        self.assert_still_serves(server)

    def test_callers_that_leave_in_the_middle_leave_nothing_behind(self):
        port = harness.free_port()
        server = Http(self, "--weight-delay=200ms", f"--stats=127.0.0.1:{port}")
        body = json.dumps(request(1, "tools/call", {"name": "null"}))
        whole = f"{HEAD}Content-Length: {len(body)}\r\n\r\n{body}".encode()
        for size in range(1, len(whole) + 1, 7):
            with server.connect() as peer:
                peer.sendall(whole[:size])
        stats = lambda: harness.get_json(f"http://127.0.0.1:{port}/")
        self.assertTrue(harness.wait_until(lambda: stats()["connections"]["open"] == 0))
        self.assertEqual(stats()["requests"]["in_flight"], 0)


class InstanceTest(HostileCase):
    def broken_instance(self, answer):
        """An address that answers every request with these bytes and hangs up."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def serve():
            while True:
                try:
                    peer, _ = listener.accept()
                except OSError:
                    return
                with peer:
                    peer.recv(65536)
                    peer.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        return f"http://127.0.0.1:{listener.getsockname()[1]}"

    def test_whatever_the_instance_answers_the_caller_is_told_why(self):
        ok = b"HTTP/1.1 200 OK\r\n"
        for answer in (b"", b"HTTP", b"\x15\x03\x03", ok + b"Content-Length: 100\r\n\r\n{}",
                       ok + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", b"SSH-2.0-x\r\n"):
            server = Http(self, f"--upstream={self.broken_instance(answer)}")
            result = server.call("gitlab_execute_action", {"action": "version.get"})
            self.assertTrue(result["isError"], answer)
            self.assertIn("GitLab could not be asked", result["content"][0]["text"])
            self.assert_still_serves(server)

    def test_what_is_no_json_is_passed_on_as_what_it_is(self):
        ok = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n"
        for body in (b"{", b"<html>", b"\xff\xfe\x00", b""):
            url = self.broken_instance(ok + b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            result = Http(self, f"--upstream={url}").call("gitlab_execute_action", {"action": "version.get"})
            self.assertNotIn("isError", result, body)

    def test_calls_to_a_slow_instance_end_and_more_than_may_wait_are_told_so(self):
        gitlab = self.gitlab()
        gitlab.delay = 30
        port = harness.free_port()
        server = Http(self, f"--upstream={gitlab.url}", "--upstream-timeout=500ms", "--max-held-calls=8",
                      f"--stats=127.0.0.1:{port}")
        call = {"name": "gitlab_execute_action", "arguments": {"action": "version.get"}}
        calls = [server.begin("tools/call", call) for _ in range(12)]
        answers = [json.loads(each.answer()) for each in calls]
        self.assertEqual(sum("error" in answer for answer in answers), 4)
        self.assertEqual(sum(answer.get("result", {}).get("isError", False) for answer in answers), 8)
        gitlab.delay = 0
        self.assert_still_serves(server)


class CrowdTest(HostileCase):
    def test_ten_thousand_idle_connections_cost_little_and_hold_up_nobody(self):
        count = 10_000
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard < count + 100:
            self.skipTest(f"only {hard} descriptors are allowed")
        resource.setrlimit(resource.RLIMIT_NOFILE, (count + 100, hard))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        server = Http(self)
        server.call("null")
        before = harness.status_kib(server.process.pid, "VmRSS")
        peers = [server.connect() for _ in range(count)]
        try:
            begin = time.monotonic()
            self.assert_still_serves(server)
            self.assertLess(time.monotonic() - begin, harness.PATIENCE)
            grown = harness.status_kib(server.process.pid, "VmRSS") - before
            self.assertLess(grown / count, 4, "KiB for each idle connection")
        finally:
            for peer in peers:
                peer.close()
        self.assert_still_serves(server)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--long", action="store_true", help="the crowd too")
    words, rest = parser.parse_known_args()
    if not words.long:
        del globals()["CrowdTest"]
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    main()
